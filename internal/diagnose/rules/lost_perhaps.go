package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// lostBesideNothing says that the stream lost packets while no queue stood, and that
// losses as frequent leave a loss-based sender about what it has. UDP sent too few packets
// to meet such a loss.
func lostBesideNothing(v *view.View) bool {
	n := v.LossEvents()
	if !backsOff(v) || v.Alone() || n == 0 || v.Losses.Steady < leastLost || v.Queued() || v.Reordered() {
		return false
	}
	if v.Losses.RealRatio() > view.HeavyLoss {
		return false // what drops so much exceeds a rate
	}
	if own, _, known := v.Wait(); known && !v.KeepsClearOf(own) {
		return false // its own bursts may have overflowed that queue
	}
	model := theory.CubicRate(v.Idle.Mid, float64(n)/float64(v.Losses.Segments), v.MSS)
	return model < view.ModelSpread*v.Rate && v.Rate < view.ModelSpread*model
}

// leastLost packets are no single tail of a burst.
const leastLost = 4

// lostPerhaps is the guess that what vanishes beside nothing vanishes at random.
func lostPerhaps(v *view.View) *finding.Finding {
	n := v.LossEvents()
	f := ofLoss(v, float64(n)/float64(v.Losses.Segments), lostPerhapsSure)
	f.Summary = fmt.Sprintf("The stream lost packets %s while no queue stood, and %s takes that for congestion: losses as frequent leave it about the %s that it has of %s. UDP sent too few packets to meet such a loss.",
		words.Times(n), words.CCName(v), words.Rate(v.Rate), words.Rate(v.Capacity))
	return f
}

// lostPerhapsSure: 7 of 8 kept directions like that lose packets at random, or in bursts;
// the eighth has a queue of four packets. Most of them were seen when this rule was made.
const lostPerhapsSure = 0.5
