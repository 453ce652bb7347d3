package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// tunnelPoliced is the finding that what goes through a tunnel over UDP is held to
// a rate which a TCP stream outside it exceeds, where UDP was asked outside for too
// short a time to empty a bucket, so that TCP did not take its turn; nil where that
// is not so.
func (v *view) tunnelPoliced(t turns) *finding.Finding {
	limit, policed := v.policer()
	if !policed || t.beside == nil || !t.beside.Outside || t.rate > 0 || t.free*tunnelShare <= slowerBy*limit || !v.freerWhileYoung(t) {
		return nil
	}
	tunnel := v.run.Route.Tunnel
	return &finding.Finding{
		Cause: finding.UDPThrottled, Confidence: tunnelPolicedSure, Severity: clamp(1-v.rate/(t.free*tunnelShare), 0, 1),
		Summary: fmt.Sprintf("Inside the %s tunnel, which travels in UDP, all that exceeds %s is dropped and nothing waits; outside it one TCP stream carries %s. So the network holds UDP to a rate, or the tunnel is held to one at an end.",
			tunnel.Kind, rate(limit), rate(t.free)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
			{What: "one stream outside the tunnel carries", Value: t.free, Unit: finding.BitRate},
			{What: "delivered inside when more is sent", Value: limit, Unit: finding.BitRate},
			{What: "UDP loss below the ceiling", Value: v.base.mean(), Unit: finding.Ratio},
		},
		Remedies: v.throttleRemedies(turns{ends: limit, udp: proportion{1, 1}}),
	}
}

// tunnelPolicedSure: no turns proved that it is UDP which is held back.
const tunnelPolicedSure = 0.8

// freerWhileYoung says that the stream outside carried clearly more than the one
// inside did in as many of its first seconds, in which a policer's bucket is full.
func (v *view) freerWhileYoung(t turns) bool {
	for _, x := range t.beside.Tests {
		if x.Protocol == record.TCP && x.Offered == 0 && x.Duration > 0 {
			young := v.one.Goodput(0, clamp(x.Duration/v.one.Duration, 0, 1))
			return x.Delivered*tunnelShare > slowerBy*young
		}
	}
	return false
}
