package trial

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// Refusal is an arm that a host would not run as it was asked to. Another
// treatment under the arm's name would be no result.
type Refusal struct{ what, hint string }

func (e *Refusal) Error() string { return e.what }

// Hint says what to do next, and what there is instead.
func (e *Refusal) Hint() string { return e.hint }

// nearRefusal is for an algorithm that this host's sockets cannot have.
func nearRefusal(name string, near record.Host) error {
	what := "this host has no congestion control " + name
	switch {
	case slices.Contains(near.Available, name):
		what = "this user may not use congestion control " + name + " on this host"
	case slices.Contains(near.Loadable, name):
		what = "congestion control " + name + " is not loaded on this host"
	}
	return &Refusal{what, nearHint(name, near)}
}

// nearHint is the next step for an algorithm that is wanted on this host.
func nearHint(name string, near record.Host) string {
	switch {
	case near.OS != "linux":
		return "only Linux lets a program choose; let the far host send: direction=down"
	case slices.Contains(near.Available, name):
		return fmt.Sprintf("allowed here: %s; run as root, or allow it: sysctl -w net.ipv4.tcp_allowed_congestion_control=%q",
			list(near.Allowed), strings.Join(append(slices.Clone(near.Allowed), name), " "))
	case slices.Contains(near.Loadable, name):
		return "modprobe tcp_" + name + " (as root)"
	}
	hint := "available here: " + list(near.Available)
	if len(near.Loadable) > 0 {
		hint += "; as modules to load: " + list(near.Loadable)
	}
	return hint
}

// fellBack is for a far sender that used another algorithm without a word.
func fellBack(name, used string, at netip.AddrPort, offers []string) error {
	if used == "" {
		return &Refusal{
			fmt.Sprintf("the server at %v does not tell which congestion control it sends with, so %s cannot be verified", at, name),
			"only servers on Linux and FreeBSD tell; compare senders on this host: direction=up",
		}
	}
	return &Refusal{
		fmt.Sprintf("the far host %v has no congestion control %s: it sent with %s", at, name, used),
		fmt.Sprintf("available there: %s; to load another, there, as root: modprobe tcp_%s", there(offers), name),
	}
}

// deniedThere is for a far sender that its kernel did not allow the algorithm.
func deniedThere(name string, at netip.AddrPort, offers []string) error {
	return &Refusal{
		fmt.Sprintf("the server at %v may not use congestion control %s", at, name),
		fmt.Sprintf("available to it: %s; run the server as root, or add %s to net.ipv4.tcp_allowed_congestion_control there", there(offers), name),
	}
}

// windowRefusal is for a buffer that this host cut down.
func windowRefusal(asked, got int64, sending bool) error {
	key := "net.core.rmem_max"
	if sending {
		key = "net.core.wmem_max"
	}
	return &Refusal{
		fmt.Sprintf("this host granted a window of %v, not %v", unit.Size(got), unit.Size(asked)),
		fmt.Sprintf("ask for no more, or raise the limit: sysctl -w %s=%d", key, asked),
	}
}

func list(names []string) string {
	if len(names) == 0 {
		return "none that this user may choose"
	}
	return strings.Join(names, ", ")
}

// there lists what a server offers, its default first.
func there(offers []string) string {
	if len(offers) == 0 {
		return "unknown, it no longer answers"
	}
	return offers[0] + " (its default)" + strings.Join(append([]string{""}, offers[1:]...), ", ")
}

func orUnknown(name string) string {
	if name == "" {
		return "an unknown congestion control"
	}
	return name
}
