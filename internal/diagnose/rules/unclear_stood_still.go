package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// StoodStill is the finding of a direction of which nothing is known but that a
// stream carried nothing, for whatever reason; nil where none stood still.
func StoodStill(r *record.Run, d record.Direction) *finding.Finding {
	still := seen.StillStream(r, d)
	if still == nil {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Unclear, Confidence: unclearConfidence, Severity: 0.1,
		Summary: fmt.Sprintf("One stream stood still for the whole %s, and nothing that was measured says why.", words.Duration(still.Duration)),
		Evidence: []finding.Evidence{
			{What: "one stream carries", Value: still.SteadyRate, Unit: finding.BitRate},
			{What: "retransmits", Value: float64(still.Retransmits), Unit: finding.Count},
		},
	}
}

// unclearConfidence is how often nothing that anybody could fix was the truth
// where no rule found a cause: none of 40 in the kept draws at first sight.
const unclearConfidence = 0.05
