//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// lostPerhaps is the guess that what vanishes beside nothing vanishes at random: the stream
// lost packets while no queue stood, and losses as frequent leave a loss-based sender about
// what it has. UDP sent too few packets to meet such a loss, or met it in bursts, of which
// a stream meets fewer.
func lostPerhaps(v *view.View) *finding.Finding {
	if !backsOff(v) || v.Alone() || v.Queued() || v.Reordered() {
		return nil
	}
	if v.Losses.Steady < leastLost && v.Base.K < leastLost {
		return nil
	}
	if v.Losses.RealRatio() > view.HeavyLoss {
		return nil // what drops so much exceeds a rate
	}
	if own, _, known := v.Wait(); known && !v.KeepsClearOf(own) {
		return nil // its own bursts may have overflowed that queue
	}
	n := v.LossEvents()
	p := float64(n) / float64(v.Losses.Segments)
	model := theory.CubicRate(v.Idle.Mid, p, v.MSS)
	if n == 0 || model >= view.ModelSpread*v.Rate || v.Rate >= view.ModelSpread*model {
		return nil
	}
	met := "UDP sent too few packets to meet such a loss"
	if v.Base.K >= leastLost {
		met = fmt.Sprintf("%d of %d UDP packets vanished as well", v.Base.K, v.Base.N)
	}
	f := ofLoss(v, p, lostPerhapsSure)
	f.Summary = fmt.Sprintf("The stream lost packets %s while no queue stood, and %s takes that for congestion: losses as frequent leave it about the %s that it has of %s. %s.",
		words.Times(n), words.CCName(v), words.Rate(v.Rate), words.Rate(v.Capacity), met)
	return f
}

// leastLost packets are no single tail of a burst.
const leastLost = 4

// lostPerhapsSure: 7 of 8 kept directions like that lose packets at random, or in bursts;
// the eighth has a queue of four packets. Most of them were seen when this rule was made.
const lostPerhapsSure = 0.5
