package tune

import "fmt"

// PlanSchema names this version of the document.
const PlanSchema = "unchoke.tune.plan/1"

// Plan is what is worth changing on a host, and what would undo it.
type Plan struct {
	Schema string `json:"schema"`
	Host   string `json:"host,omitempty"` // ssh://…; empty is this host
	Scope  Scope  `json:"scope"`
	// Remedy and Resolve are what the user asked for.
	Remedy  Remedy `json:"remedy,omitempty"`
	Resolve bool   `json:"resolve,omitempty"`
	// Root is the directory of the mounted image that the plan is for; empty
	// for the running host.
	Root string `json:"root,omitempty"`
	// For is what was measured, nil where the plan rests on no record.
	For *Measured `json:"for,omitempty"`
	// Changes are in the order in which they are to be made. Nothing is in
	// here that is already right.
	Changes   []Change   `json:"changes"`
	Conflicts []Conflict `json:"conflicts"`
	Notes     []Note     `json:"notes"`
	// Unsupported says why nothing can be changed here; Changes is empty then.
	Unsupported *Unsupported `json:"unsupported,omitempty"`
}

// Conflict is something on the host that sets a key of the plan's to another
// value, or will.
type Conflict struct {
	Key string `json:"key"`
	// By is who would win: systemd-sysctl, procps, openwrt, tuned, networkd, …
	By    string `json:"by"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Value string `json:"value,omitempty"` // that would be in force instead
	What  string `json:"what"`            // one sentence
	Next  string `json:"next"`            // what to do about it
}

// Note is something to know of a plan.
type Note struct {
	About string `json:"about"` // a word: bbr, policer, far-host, buffers, qdisc, …
	What  string `json:"what"`
	// Command is what to run, where there is something.
	Command string `json:"command,omitempty"`
}

// AboutRecord is the note of a plan that is empty for want of a measurement.
const AboutRecord = "record"

// Reason is why a host cannot be tuned.
type Reason string

const (
	NotLinux     Reason = "not-linux"
	OldKernel    Reason = "old-kernel"    // before 4.9, which has no bbr
	NoModule     Reason = "no-module"     // the algorithm is neither built in nor on disk
	NoPermission Reason = "no-permission" // this user may not
	Container    Reason = "container"     // and nobody within it may
	ReadOnly     Reason = "read-only"     // /etc cannot be written
	Occupied     Reason = "occupied"      // something else has the name of a file
	NixOS        Reason = "nixos"         // /etc is generated: see Snippet
)

// Unsupported is a refusal with its next step.
type Unsupported struct {
	Reason Reason `json:"reason"`
	What   string `json:"what"`
	Next   string `json:"next"`
	// Snippet is configuration for the user to paste, as on NixOS.
	Snippet string `json:"snippet,omitempty"`
}

// Remedy is which of several answers to a cause a plan takes.
type Remedy string

const (
	// Auto takes the one that the cause calls for; into a policer, none.
	Auto       Remedy = "auto"
	UseBBR     Remedy = "bbr"
	UseMaxRate Remedy = "maxrate" // fq's ceiling below a policer
)

// ParseRemedy reads a remedy's name.
func ParseRemedy(s string) (Remedy, error) {
	switch r := Remedy(s); r {
	case Auto, UseBBR, UseMaxRate:
		return r, nil
	}
	return "", fmt.Errorf("remedy %q is none of %s, %s, %s", s, Auto, UseBBR, UseMaxRate)
}
