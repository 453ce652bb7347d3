//go:build !slim

package watched

import (
	"fmt"

	"unchoke/internal/finding"
)

// unrepaired: without selective acknowledgements the sender repairs one lost packet a round
// trip (RFC 6582 §3.2), and spends its time on that.
func unrepaired(v *view) *said {
	share := min(v.resent*v.rtt/v.span(), 1)
	if !v.NoSACK || share < RepairShare {
		return nil
	}
	return &said{
		cause: finding.NoSACK, confidence: unrepairedSure,
		summary:  fmt.Sprintf("The connection has no selective acknowledgements, so that this host repairs one lost packet a round trip, and spends %s of its time on that at %s.", percent(share), rate(v.rate)),
		evidence: append(v.networkEvidence(), finding.Evidence{What: "time spent on repairs, a packet a round trip", Value: share, Unit: finding.Ratio}),
	}
}

const (
	// RepairShare of its time on repairs costs a stream a third of what it would carry.
	RepairShare = 0.25
	// unrepairedSure: whether the stream gets over it, as over what its slow start lost, its own
	// figures do not tell.
	unrepairedSure = 0.75
)

// repairs are what to do about that, at either host.
func repairs(near string) []finding.Remedy {
	return []finding.Remedy{finding.Remedy{
		What:  "Turn selective acknowledgements on at the host that has them off (sysctl net.ipv4.tcp_sack tells), or find the firewall that takes the option away. It acts on new connections.",
		Where: finding.Sender, Host: near,
	}.By(finding.AcknowledgeSelectively())}
}

// repairAdvice is the same in short.
const repairAdvice = "no algorithm: turn selective acknowledgements on (tcp_sack) at the host that has them off"
