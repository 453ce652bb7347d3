package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// LostBeyond: a shaper of the sending host's own is the bottleneck, and dropped far
// less than the stream lost. The rest was lost behind it, where nothing of the stream
// has to wait. It is asked where nothing else was found: bursts of loss are too rare for
// the UDP ladder to meet, and the stream's own count says little of how slow they make it.
func LostBeyond(v *view.View) *finding.Finding {
	e, q, shaped := hosts.OwnQueue(v)
	if !shaped || !backsOff(v) || v.Reordered() {
		return nil
	}
	if v.Losses.Steady < leastBeyond || q.Drops > v.Losses.Real/2 {
		return nil
	}
	p := v.Losses.SteadyRatio()
	f := ofLoss(v, p, beyondSure)
	f.Summary = fmt.Sprintf("%s of %s is the bottleneck and dropped %d packets, but the stream lost %d. The rest vanished behind it, where nothing of the stream has to wait, and %s: one stream gets %s of %s.",
		words.QueueName(q), e.Words, q.Drops, v.Losses.Real, lossWords(v), words.Rate(v.Rate), words.Rate(v.Capacity))
	lost := finding.Evidence{What: "that the stream lost", Value: float64(v.Losses.Real), Unit: finding.Count}
	f.Evidence = slices.Concat(words.QueueEvidence(q), []finding.Evidence{lost}, f.Evidence)
	return f
}

const (
	// leastBeyond: fewer may have been lost in another queue when slow start ended.
	leastBeyond = 5
	// beyondSure: the one kept direction like that; what is lost behind the shaper
	// could be lost in a queue there that others fill.
	beyondSure = 0.7
)
