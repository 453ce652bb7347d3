// Package journal keeps what is changed on this host and what was there
// before, so that any later run, after any crash, can tell and take it back.
//
// It is a file of JSON lines, each there to stay before the effect that it
// announces:
//
//	begin    all changes of a round, old values and new: nothing is made yet
//	armed    a timer will take the round back unless it is kept
//	part     one message of a change that takes several: what was there before it
//	         and what is after it, as one of the two is found after a crash
//	wrote    one change is made; its value as read back
//	tried    all that was to be made at once is; the round may be kept
//	persist  it was confirmed: what counts from the next boot on follows
//	kept     the round stands
//	undoing  changes are taken back, the latest first; once more after a reboot
//	lent     a value that is changed for a moment on the way
//	returned it is back
//	undone   one change is taken back, or left to whoever changed it since
//	closed   nothing is left to undo of what was to be
package journal

import (
	"time"

	"unchoke/internal/tune"
)

// Event is one line. Each kind has the fields that it needs.
type Event struct {
	Kind EventKind `json:"event"`
	Time time.Time `json:"time"`
	Boot string    `json:"boot_id,omitempty"` // random, a boot

	Begin  *Begin  `json:"begin,omitempty"`
	Timer  *Timer  `json:"timer,omitempty"`  // armed
	Step   int     `json:"step,omitempty"`   // part, wrote, undone: its number among all steps
	Value  *string `json:"value,omitempty"`  // wrote: as read back; lent: as it was
	Key    string  `json:"key,omitempty"`    // lent, returned: a sysctl
	New    *string `json:"new,omitempty"`    // lent: as it will be
	To     int     `json:"to,omitempty"`     // undoing: the steps from this one on
	Found  []int   `json:"found,omitempty"`  // undoing: the steps whose files are as they were made
	Reason string  `json:"reason,omitempty"` // undoing
	Left   string  `json:"left,omitempty"`   // undone: why the value is not the old one
	Stays  bool    `json:"stays,omitempty"`  // undone: the step goes on standing, with its old value

	// Before and After are shapes of a device's tree.
	Before *tune.QdiscValue `json:"before,omitempty"` // part
	After  *tune.QdiscValue `json:"after,omitempty"`  // part
}

// EventKind is the word for what a line announces or tells.
type EventKind string

// The kinds of events.
const (
	Began     EventKind = "begin"
	Armed     EventKind = "armed"
	Parted    EventKind = "part"
	Wrote     EventKind = "wrote"
	WasTried  EventKind = "tried"
	Persist   EventKind = "persist"
	WasKept   EventKind = "kept"
	BeganUndo EventKind = "undoing"
	Lent      EventKind = "lent"
	Returned  EventKind = "returned"
	Undone    EventKind = "undone"
	Closed    EventKind = "closed"
)

// Begin is a round of changes.
type Begin struct {
	ID      string `json:"id"`      // random
	Version string `json:"version"` // of this program
	Boot    string `json:"boot_id"` // random, a boot
	// Netns is the number of the network namespace; 0 where none is known, as of
	// earlier versions.
	Netns    uint64        `json:"netns,omitempty"`
	Scope    tune.Scope    `json:"scope"`
	Address  string        `json:"address,omitempty"` // of the measured target
	Changes  []tune.Change `json:"changes"`
	Deadline time.Time     `json:"deadline"`
	// Token is the SHA-256 of what confirms the round, in hexadecimal; empty
	// where only the run that began it can.
	Token string `json:"token_sha256,omitempty"`
}

// Timer is what takes a round back in time: a unit of systemd, or a process.
type Timer struct {
	Unit    string `json:"unit,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Started uint64 `json:"started,omitempty"` // of the process, in clock ticks since boot: a number may be used again
	// Program is the copy of the program that it runs, which goes with the round;
	// empty where it runs one that stays.
	Program string `json:"program,omitempty"`
}
