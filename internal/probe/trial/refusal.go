package trial

import (
	"fmt"
	"net/netip"
	"strings"

	"unchoke/internal/probe"
	"unchoke/internal/unit"
)

// fellBack is for a far sender that used another algorithm without a word.
func fellBack(name, used string, at netip.AddrPort, offers []string) error {
	if used == "" {
		return probe.Refuse(
			fmt.Sprintf("the server at %v does not tell which congestion control it sends with, so %s cannot be verified", at, name),
			"only servers on Linux and FreeBSD tell; compare senders on this host: direction=up",
		)
	}
	return probe.Refuse(
		fmt.Sprintf("the far host %v has no congestion control %s: it sent with %s", at, name, used),
		fmt.Sprintf("available there: %s; to load another, there, as root: modprobe tcp_%s", there(offers), name),
	)
}

// deniedThere is for a far sender that its kernel did not allow the algorithm.
func deniedThere(name string, at netip.AddrPort, offers []string) error {
	return probe.Refuse(
		fmt.Sprintf("the server at %v may not use congestion control %s", at, name),
		fmt.Sprintf("available to it: %s; run the server as root, or add %s to net.ipv4.tcp_allowed_congestion_control there", there(offers), name),
	)
}

// windowRefusal is for a buffer that this host cut down.
func windowRefusal(asked, got int64, sending bool) error {
	key := "net.core.rmem_max"
	if sending {
		key = "net.core.wmem_max"
	}
	return probe.Refuse(
		fmt.Sprintf("this host granted a window of %v, not %v", unit.Size(got), unit.Size(asked)),
		fmt.Sprintf("ask for no more, or raise the limit: sysctl -w %s=%d", key, asked),
	)
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
