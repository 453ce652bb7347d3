package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// AcksBloat: the acknowledgements of one stream keep a queue standing on the way back, in
// which everyone else on it waits as well.
func AcksBloat(v *view.View) *finding.Finding {
	back, acks := v.AcksQueue()
	by, under, _, found := v.Standing()
	if !acks || !found || by != v.One.Name {
		return nil
	}
	wait := under.Mid - v.Idle.Mid
	severity := waitCosts(v, wait)
	if !v.Slow() || v.Rate < gainsLittle*v.Capacity {
		severity *= othersWait // more than a wait is to be had, or nobody knows
	}
	return &finding.Finding{
		Cause: finding.Bufferbloat, Confidence: acksBloatSure, Severity: severity,
		Summary: fmt.Sprintf("The acknowledgements of one stream keep a queue of %s standing on the way back: the round trip takes %s idle and %s under this load, for everyone on that way.",
			words.Duration(wait), words.Duration(v.Idle.Mid), words.Duration(under.Mid)),
		Evidence: append(waitEvidence(v, under, by),
			finding.Evidence{What: "the way back carries, with all headers", Value: back.Carries(), Unit: finding.BitRate},
			finding.Evidence{What: "acknowledgements at the stream's rate", Value: back.Need, Unit: finding.BitRate},
		),
		Remedies: backRemedies(back.Carries()),
	}
}

const (
	// acksBloatSure: under 36 of 42 kept directions like that a round trip takes twice as
	// long and 100 ms more.
	acksBloatSure = 0.85
	// gainsLittle is of the path's rate: of 12 kept directions whose stream has more of it
	// 5 gain a third with a faster way back, and all but 2 have the queue.
	gainsLittle = 0.5
)
