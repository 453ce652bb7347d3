package probe

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/linux/cc"
	"unchoke/internal/record"
)

// Refusal is what a host would not run as it was asked to. Another treatment
// under the same name would be no result.
type Refusal struct{ what, hint string }

// Refuse says what was refused and what to do next.
func Refuse(what, hint string) *Refusal { return &Refusal{what, hint} }

func (e *Refusal) Error() string { return e.what }

// Hint says what to do next, and what there is instead.
func (e *Refusal) Hint() string { return e.hint }

// NearCC refuses a congestion control that this host's sockets cannot have as
// the host stands now; "" is its default. With privileges the kernel would load
// a module for it, and measuring changes nothing.
func NearCC(name string, near record.Host) error {
	if name == "" {
		return nil
	}
	if have, err := cc.Probe(name); err == nil && have != cc.Yes {
		return NearRefusal(name, near)
	}
	return nil // where it cannot be told, the socket will
}

// NearRefusal is for an algorithm that this host's sockets cannot have.
func NearRefusal(name string, near record.Host) error {
	what := "this host has no congestion control " + name
	switch {
	case slices.Contains(near.Available, name):
		what = "this user may not use congestion control " + name + " on this host"
	case slices.Contains(near.Loadable, name):
		what = "congestion control " + name + " is not loaded on this host"
	}
	return Refuse(what, NearHint(name, near))
}

// NearHint is the next step for an algorithm that is wanted on this host.
func NearHint(name string, near record.Host) string {
	allowed := "none that this user may choose"
	if len(near.Allowed) > 0 {
		allowed = strings.Join(near.Allowed, ", ")
	}
	switch {
	case near.OS != "linux":
		return "only Linux lets a program choose; let the far host send: direction=down"
	case slices.Contains(near.Available, name):
		return fmt.Sprintf("allowed here: %s; run as root, or allow it: sysctl -w net.ipv4.tcp_allowed_congestion_control=%q",
			allowed, strings.Join(append(slices.Clone(near.Allowed), name), " "))
	case slices.Contains(near.Loadable, name):
		return "modprobe tcp_" + name + " (as root)"
	}
	hint := "available here: " + strings.Join(near.Available, ", ")
	if len(near.Loadable) > 0 {
		hint += "; as modules to load: " + strings.Join(near.Loadable, ", ")
	}
	return hint
}
