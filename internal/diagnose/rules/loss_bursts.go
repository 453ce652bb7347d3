package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// Bursts: what was sent evenly vanished in bursts beside which nothing waited, too rare
// for a stream of seconds to meet. It is asked where nothing else was found.
func Bursts(v *view.View) *finding.Finding {
	runs, lost := seen.LostInRuns(v.Rungs, view.ShallowShare*v.Capacity)
	if !backsOff(v) || runs < 2 || lost.K < burst*runs || v.Reordered() || len(v.Out.All) > 0 {
		return nil
	}
	p := float64(runs) / float64(lost.N+v.Losses.Segments)
	left := theory.CubicRate(v.Idle.Mid, p, v.MSS)
	if _, busy := v.Others(); busy || left >= v.Capacity/view.GainMatters {
		return nil
	}
	f := ofLoss(v, p, burstsSure)
	f.Summary = fmt.Sprintf("%d packets that were sent evenly vanished in %d bursts, beside which none waited. A stream takes each for congestion: as rare as they were, about %s of %s is left in the long run, and one stream gets %s.",
		lost.K, runs, words.Rate(left), words.Rate(v.Capacity), words.Rate(v.Rate))
	return f
}

const (
	burst      = 5   // packets, the mean: a queue that overflows drops one here and there
	burstsSure = 0.6 // the one kept direction like that
)
