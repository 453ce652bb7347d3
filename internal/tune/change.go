// Package tune changes this host for a measured path: a plan is data, applying
// it is the effect, and every change is taken back exactly.
package tune

// Kind is what a change acts on, and so how its key and values are read.
type Kind string

const (
	Sysctl Kind = "sysctl" // key: net.ipv4.tcp_congestion_control; value: as in /proc/sys, trimmed, fields joined by one space
	Module Kind = "module" // key: tcp_bbr; value: "loaded", or nil where it is not
	Qdisc  Kind = "qdisc"  // key: a device; value: its root qdisc tree as JSON
	Route  Kind = "route"  // key: a prefix and its device; value: the route's attributes as JSON
	File   Kind = "file"   // key: an absolute name; value: its content and mode as JSON, nil where there is none
)

// When is the moment from which a change counts.
type When string

const (
	Now  When = "now"  // this kernel, until it goes down
	Boot When = "boot" // from the next boot on
)

// Change is one thing that is to be different. A nil value is the absence of
// the thing.
type Change struct {
	Kind Kind    `json:"kind"`
	Key  string  `json:"key"`
	When When    `json:"when"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
	Why  string  `json:"why"`
}

// Host is where changes are made. Read gives the value as Change holds it, nil
// where the thing is absent; Write makes it so, nil removes it. What Read gave
// Write takes.
type Host interface {
	Read(kind Kind, key string) (*string, error)
	Write(kind Kind, key string, value *string) error
}
