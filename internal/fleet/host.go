package fleet

import (
	"context"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Host is one host of a fleet, as a rollout drives it. Each method does there
// what the verb of unchoke tune does, with that host's own journal and timer.
//
// An error wraps ErrRefused where nothing was touched, ErrReverted where
// everything was taken back, and ErrLost where the host was not reached or did
// not answer, so that only its journal knows what was done. Any other error
// leaves that to the journal, too.
type Host interface {
	// Look reads what a preflight goes by. It touches nothing.
	Look(ctx context.Context) (Facts, error)
	// Plan says what is worth changing there. It touches nothing.
	Plan(ctx context.Context, o Order) (tune.Plan, error)
	// Try makes those of the plan's changes that take effect at once, under a
	// timer there that takes them back after the timeout unless they are
	// confirmed: `tune try`. It refuses where the host is not as it was planned
	// for (tune.Plan.Same). The outcome has the token and the deadline.
	Try(ctx context.Context, p tune.Plan, timeout time.Duration) (outcome.Outcome, error)
	// Verify reads back what stands and opens a new connection: `tune verify`.
	Verify(ctx context.Context) (outcome.Verification, error)
	// Confirm keeps what was tried until the next reboot: `tune confirm`.
	Confirm(ctx context.Context, token string) error
	// Keep makes permanent what was confirmed, from the same order that the plan
	// was made from: `tune apply --yes`.
	Keep(ctx context.Context, o Order) (outcome.Outcome, error)
	// Revert takes back all that unchoke tune changed there: `tune revert`.
	Revert(ctx context.Context) (outcome.Outcome, error)
	// Status tells what stands there: `tune status`.
	Status(ctx context.Context) (outcome.Status, error)
	// Renew ends the connection: what follows opens a new one.
	Renew()
	// Close ends the connection and what runs there for it.
	Close()
}

// Order is what a plan for a host is made from.
type Order struct {
	Scope   tune.Scope  `json:"scope"`
	Remedy  tune.Remedy `json:"remedy"`
	Resolve bool        `json:"resolve,omitempty"`
	// Despite applies changes that something there will set otherwise again.
	Despite bool `json:"despite_conflicts,omitempty"`
	// Measured is the path that the plan is for, as that host sees it: up is what
	// it sends. Nil plans only what the remedy names.
	Measured *tune.Measured `json:"measured,omitempty"`
}

// Facts are what a preflight knows of a host beside its plan. What is not known
// is nil or empty.
type Facts struct {
	System  string `json:"system"`  // linux, …
	Machine string `json:"machine"` // amd64, …
	Kernel  string `json:"kernel"`  // its release
	Unchoke string `json:"unchoke"` // the version that runs there
	User    string `json:"user,omitempty"`
	// Root says that changes are made with root's rights there: it is the login,
	// or --become works.
	Root bool `json:"root"`
	// ClockOffset is that host's clock less this one's, in seconds, as far as the
	// round trip tells.
	ClockOffset *float64 `json:"clock_offset_s,omitempty"`
	// DiskFree is the room where the journal is kept, in bytes.
	DiskFree *int64 `json:"disk_free_bytes,omitempty"`
	// Status is what unchoke tune changed there before.
	Status   outcome.Status `json:"status"`
	Warnings []string       `json:"warnings,omitempty"`
}
