package outcome

import (
	"time"

	"unchoke/internal/tune"
)

// Phase is what a journal says is going on; package journal draws how one follows
// the other.
type Phase string

// The phases.
const (
	Idle       Phase = "idle"
	Trying     Phase = "trying"
	Tried      Phase = "tried"
	Persisting Phase = "persisting"
	Kept       Phase = "kept"
	Undoing    Phase = "undoing"
)

// Holding is what has become of a change.
type Holding string

// What may have become of one.
const (
	Held    Holding = "held"    // it is as it was made
	Back    Holding = "back"    // it is as it was before
	Changed Holding = "changed" // it is neither
	Gone    Holding = "gone"    // there is no such thing any more
	Waits   Holding = "waits"   // it is not made yet
)

// Item is a change that stands in the journal, and what the host has now.
type Item struct {
	Change tune.Change `json:"change"`
	Have   *string     `json:"have"`
	State  Holding     `json:"state"`
}

// Status is what stands on this host.
type Status struct {
	Schema string `json:"schema"`
	Host   string `json:"host,omitempty"` // ssh://…; empty is this host
	// Flags are those by which a verb of tune acts on that host from here, for the
	// commands that a report names; empty is this host.
	Flags string `json:"-"`
	Phase Phase  `json:"phase"`
	// Since is when the last thing happened.
	Since    *time.Time `json:"since,omitempty"`
	Deadline *time.Time `json:"deadline,omitempty"` // of a trial
	Rebooted bool       `json:"rebooted"`           // since the changes were made
	// Program is the copy of unchoke that a trial's timer runs; empty where there
	// is none.
	Program string `json:"program,omitempty"`
	// Interrupted says that a run was killed and the next takes back what it
	// left.
	Interrupted bool   `json:"interrupted"`
	Items       []Item `json:"items"`
	// Lost is nil where the journal tells of all there is.
	Lost *Lost `json:"lost,omitempty"`
	// Live are the connections that unchoke tune live changed, of this boot and
	// network namespace; LiveElsewhere counts those of other namespaces.
	Live          []LiveItem `json:"live,omitempty"`
	LiveElsewhere int        `json:"live_elsewhere,omitempty"`
	// LiveUnits are units whose later connections get another algorithm, of this
	// boot.
	LiveUnits []LiveUnitItem `json:"live_units,omitempty"`
}

// LiveUnitItem is such a unit. One that was stopped since is gone; one from which
// somebody else took it is back.
type LiveUnitItem struct {
	Unit  string  `json:"unit"`
	Group string  `json:"cgroup"`
	New   string  `json:"new_cc"`
	State Holding `json:"state"`
}

// LiveItem is a connection that was changed while it was open, and what it has
// now. One that has ended is gone.
type LiveItem struct {
	ID      string  `json:"id"` // as in LiveFlow
	Local   string  `json:"local"`
	Remote  string  `json:"remote"`
	Process string  `json:"process,omitempty"`
	PID     int     `json:"pid,omitempty"`
	Old     string  `json:"old_cc"`            // before
	New     string  `json:"new_cc"`            // that it was given
	Have    string  `json:"have_cc,omitempty"` // empty where it has ended
	State   Holding `json:"state"`
}

// Lost are files that unchoke tune wrote and of which no journal tells: it was
// emptied or moved away.
type Lost struct {
	Files   []string `json:"files"`
	Backups []string `json:"backups,omitempty"` // of what files held before
}

// Verification is whether what was applied is in force.
type Verification struct {
	Schema   string `json:"schema"`
	Host     string `json:"host,omitempty"` // ssh://…; empty is this host
	Phase    Phase  `json:"phase"`
	Rebooted bool   `json:"rebooted"` // since the changes were made
	Items    []Item `json:"items"`
	// Connection is nil where the changes leave the algorithm alone, and where no
	// connection is known to take the route that they change.
	Connection *Connection `json:"connection,omitempty"`
	// Sockets counts the established connections that the changes are about by
	// their algorithm; nil as Connection is.
	Sockets *Sockets `json:"sockets,omitempty"`
	// Wrong is what is not as it should be, a sentence each.
	Wrong []string `json:"wrong"`
}

// Connection is one that was opened to see what it gets.
type Connection struct {
	To   string `json:"to"`
	CC   string `json:"cc"`
	Want string `json:"want"`
}

// Sockets are established connections.
type Sockets struct {
	CC map[string]int `json:"cc"`
	// Old are those with another algorithm than new ones get: they began
	// before, or chose for themselves. They keep it until they end.
	Old int `json:"old"`
}
