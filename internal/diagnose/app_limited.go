package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
)

// appLimited: the sending program offers no more than one stream carries.
func appLimited(v *view) *finding.Finding {
	l := v.limits
	if !v.slow() || v.growing || l.App < limitShare || l.App <= max(l.SendBuffer, l.ReceiveWindow) {
		return nil
	}
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
	}
	if l.inferred {
		e = append(e, finding.Evidence{What: "the sending program's core is busy", Value: v.one.CPUFar, Unit: finding.Ratio})
	}
	c := 0.6 + 0.3*l.App
	if l.inferred {
		c -= 0.2
	}
	return &finding.Finding{
		Cause:      finding.AppLimited,
		Confidence: c,
		Severity:   v.shortfall() * l.App,
		Summary: fmt.Sprintf("The sending program offers no more: one stream gets %s, although the path carries %s and nothing in TCP holds it back.",
			rate(v.rate), rate(v.capacity)),
		Evidence: append(e, v.limitEvidence()...),
		Remedies: []finding.Remedy{{
			What:  "Look at the sending program: a rate limit of its own, a slow disk, a full processor core. No network setting makes it send faster.",
			Where: finding.Sender,
			Host:  v.sender(),
		}},
	}
}
