package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/unit"
)

// policedByCopies: no rule saw a policer, and copies of the path that have one are faster by
// far with a queue in its place.
func policedByCopies(v *view.View) *finding.Finding {
	c, tried := v.Run.Alone(v.Dir, string(finding.Policed))
	limit, overloaded := v.Ceiling()
	if !tried || !overloaded || c.GainLow < GainsByFar {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: policedByCopiesSure, Severity: 0.3,
		Summary: fmt.Sprintf("Copies of the path that drop all that exceeds some %s, as a policer does, behave as it does. With a queue in its place they carry %s as much as one stream's %s.",
			words.Rate(limit), unit.HumanTimes(c.Gain), words.Rate(v.Rate)),
		Evidence: slices.Concat(words.RateEvidence(v), []finding.Evidence{
			{What: "delivered when more is sent", Value: limit, Unit: finding.BitRate},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{networkLimit()},
	}
}

// GainsByFar, at the low end: of 7 kept directions whose copies are faster without a policer
// that no rule saw, both with as much have one, none of the rest (at most 1.58). Beside others
// the same is true of a policer or a short queue.
const GainsByFar = 2.5

// policedByCopiesSure: a small count.
const policedByCopiesSure = 0.5
