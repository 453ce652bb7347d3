package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// tunnelHeld is the finding that what goes through a tunnel over UDP is held to a rate
// which a TCP stream outside it exceeds, where UDP was asked outside for too short a
// time, or too slowly, to meet that rate, so that TCP did not take its turn; nil where
// that is not so.
func (v *view) tunnelHeld(t turns) *finding.Finding {
	limit, beyond := v.tunnelLimit(t)
	if limit <= 0 || t.rate > 0 || t.free*tunnelShare <= slowerBy*limit || !v.freerWhileYoung(t) {
		return nil
	}
	tunnel := v.run.Route.Tunnel
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: tunnelHeldSure, Severity: stats.Clamp(1-v.rate/(t.free*tunnelShare), 0, 1),
		Summary: fmt.Sprintf("Inside the %s tunnel, which travels in UDP, %s; outside it one TCP stream carries %s. So the network holds UDP to a rate, or the tunnel is held to one at an end.",
			tunnel.Kind, beyond, rate(t.free)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "one stream outside the tunnel carries", Value: t.free, Unit: finding.BitRate},
			{What: "delivered inside when more is sent", Value: limit, Unit: finding.BitRate},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio},
		},
		Remedies: v.throttleRemedies(turns{ends: limit, udp: proportion{k: 1, n: 1}}),
	}
}

// tunnelLimit is the rate at which the inside of a tunnel ends, and words for what
// becomes of more: a policer drops it; or it waits, and one stream fills the tunnel
// without having met loss that would hold it back, while the one outside overflowed
// no queue, which would have taken in what that carried more.
func (v *view) tunnelLimit(t turns) (limit float64, beyond string) {
	if limit, policed := v.policer(); policed {
		return limit, fmt.Sprintf("all that exceeds %s is dropped and nothing waits", rate(limit))
	}
	top, known := v.ceiling()
	if !known || v.slow() || v.lossy() || v.base.k > 0 || t.freed.mean() > overloadLoss {
		return 0, ""
	}
	return max(top, v.rate), fmt.Sprintf("nothing gets more than %s through, which one stream fills", rate(top))
}

// tunnelHeldSure: no turns proved that it is UDP which is held back.
const tunnelHeldSure = 0.8

// freerWhileYoung says that the stream outside carried clearly more than the one
// inside did in as many of its first seconds, in which a policer's bucket is full.
func (v *view) freerWhileYoung(t turns) bool {
	young := v.one.Goodput(0, stats.Clamp(t.freely/v.one.Duration, 0, 1))
	return t.freely > 0 && t.free*tunnelShare > slowerBy*young
}
