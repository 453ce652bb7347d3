package ends

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// AppLimited: the sending program offers no more than one stream carries.
func AppLimited(v *view.View) *finding.Finding {
	l := v.Limits
	if !v.Slow() || v.Growing || l.App < view.LimitShare || l.App <= max(l.SendBuffer, l.ReceiveWindow) {
		return nil
	}
	e := words.RateEvidence(v)
	if l.Inferred {
		e = append(e, finding.Evidence{What: "the sending program's core is busy", Value: v.One.SenderCPU(), Unit: finding.Ratio})
	}
	c := 0.6 + 0.3*l.App
	if l.Inferred {
		c -= 0.2
	}
	return &finding.Finding{
		Cause:      finding.AppLimited,
		Confidence: c,
		Severity:   v.Shortfall() * l.App,
		Summary: fmt.Sprintf("The sending program offers no more: one stream gets %s, although the path carries %s and nothing in TCP holds it back.",
			words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: append(e, words.LimitEvidence(v)...),
		Remedies: []finding.Remedy{{
			What:  "Look at the sending program: a rate limit of its own, a slow disk, a full processor core. No network setting makes it send faster.",
			Where: finding.Sender,
			Host:  v.Sender(),
		}},
	}
}
