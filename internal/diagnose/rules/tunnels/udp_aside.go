package tunnels

import (
	"fmt"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// UDPAside tells of a network that treats UDP worse where the stream does not
// suffer: it is no cause, and comes behind all others.
func UDPAside(v *view.View) *finding.Finding {
	what := "The TCP stream does not suffer, but a tunnel over UDP (WireGuard, Tailscale) or QUIC on this path would."
	t, found := seen.WorseForUDP(v.Run, v.Dir, false)
	if !found {
		if t, found = worse(v); !found || freer(v, t) {
			return nil
		}
		what = "The stream inside the tunnel carries what it would outside."
	}
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: 0.95,
		Summary:  fmt.Sprintf("The network treats UDP worse than TCP on its way %s. %s %s", v.Dir, turnWords(t), what),
		Evidence: turnEvidence(t),
		Remedies: []finding.Remedy{{
			What:  "Where a tunnel or QUIC has to use this path: try another UDP port (443, 4500), or a transport over TCP, and ask the carrier.",
			Where: finding.Network,
		}},
	}
}
