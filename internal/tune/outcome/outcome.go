// Package outcome is what unchoke tune did to a host and what stands there, as
// values: reports show them, apply makes them.
package outcome

import (
	"time"

	"unchoke/internal/tune"
)

// Schemas of the documents.
const (
	OutcomeSchema      = "unchoke.tune.outcome/1"
	StatusSchema       = "unchoke.tune.status/1"
	VerificationSchema = "unchoke.tune.verify/1"
)

// Result is the word for what a command came to.
type Result string

// The results.
const (
	Unchanged Result = "unchanged" // there was nothing to do
	WasTried  Result = "tried"
	Confirmed Result = "confirmed"
	Applied   Result = "applied"
	Reverted  Result = "reverted"
)

// Command is a verb of tune with the flags that lead to its host; empty is this one.
func Command(flags, verb string) string {
	if flags != "" {
		verb += " " + flags
	}
	return "unchoke tune " + verb
}

// Outcome is what a command did to the host.
type Outcome struct {
	Schema string `json:"schema"`
	Host   string `json:"host,omitempty"` // ssh://…; empty is this host
	// Flags are those by which a verb of tune acts on that host from here, for the
	// commands that a report names; empty is this host.
	Flags  string `json:"-"`
	Result Result `json:"outcome"`
	// Changes are those that were made, or taken back.
	Changes []tune.Change `json:"changes"`
	Left    []Left        `json:"left,omitempty"`
	// Recovered is what an interrupted run had left, and was taken back first.
	Recovered *Undo `json:"recovered,omitempty"`

	// Of a trial: what confirms it, until when.
	Round    string     `json:"round,omitempty"` // its name in the journal
	Token    string     `json:"token,omitempty"`
	Deadline *time.Time `json:"deadline,omitempty"`
	Timer    *Timer     `json:"timer,omitempty"`
	Persist  bool       `json:"persist,omitempty"` // confirmed, it is permanent

	Verification *Verification `json:"verification,omitempty"`
}

// Timer is what takes a trial back in time: a unit of systemd's, or a process in
// a session of its own, which dies with the container or service that it runs in.
type Timer struct {
	Unit string `json:"unit,omitempty"`
	PID  int    `json:"pid,omitempty"`
	// Program is a copy of unchoke that it runs, and that is removed once the trial
	// is confirmed or taken back; empty where it runs one that stays.
	Program string `json:"program,omitempty"`
}

// Left is a change that was not taken back, and why.
type Left struct {
	Change tune.Change `json:"change"`
	Why    string      `json:"why"`
}

// Undo is what taking changes back came to.
type Undo struct {
	Reason string        `json:"reason"` // why it was done
	Took   []tune.Change `json:"took"`   // that stood, the latest first
	Left   []Left        `json:"left"`
}
