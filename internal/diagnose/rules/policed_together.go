//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// PolicedTogether: eight streams have together what one has, and nothing waits, though UDP
// came through far faster for a moment: a policer whose bucket holds all that a short flood
// brings. It is asked of a slow stream for which nothing else was found.
func PolicedTogether(v *view.View) *finding.Finding {
	if !v.OneLimit() {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: togetherSure, Severity: 0.3,
		Summary: fmt.Sprintf("Eight streams together carry %s, and one carries %s: one limit holds them all. It drops packets and lets none wait, and UDP came through at %s for a moment: a policer whose bucket was full by then.",
			words.Rate(v.Eight.SteadyRate), words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: slices.Concat(words.RateEvidence(v), []finding.Evidence{
			{What: "eight streams carry", Value: v.Eight.SteadyRate, Unit: finding.BitRate},
			{What: "they resent", Value: float64(v.Eight.Retransmits), Unit: finding.Count},
			{What: "RTT beside them", Value: v.Busier.Mid, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{networkLimit()},
	}
}

// togetherSure: see view.OneLimit; a small count, shrunk.
const togetherSure = 0.7
