//go:build !slim

package watched

import (
	"fmt"

	"unchoke/internal/finding"
)

// marked: a queue marks segments in place of dropping them, which the sender answers
// as it would a loss (RFC 3168). It has a queue without a loss, as often too short to
// see.
func marked(v *view) *said {
	if v.MarkedRatio <= 0 || !v.answersLoss() || v.lost >= leastLost {
		return nil
	}
	s := &said{
		cause: finding.Healthy, confidence: 0.7,
		summary: fmt.Sprintf("The stream fills its path: %s, and a queue before it marks %s of the segments, so that it stays short.", rate(v.rate), percent(v.MarkedRatio)),
		evidence: append(v.networkEvidence(),
			finding.Evidence{What: "marked by a queue (ECN)", Value: v.MarkedRatio, Unit: finding.Ratio}),
	}
	if !v.level() && v.RateCV >= fullCV {
		s.cause, s.confidence = finding.Congested, 0.5
		s.summary = fmt.Sprintf("A queue marks %s of the segments, and the rate moves (%s, its deviation %s): other traffic shares the bottleneck, or its rate becomes another.",
			percent(v.MarkedRatio), rate(v.rate), percent(v.RateCV))
	}
	return s
}
