package rules

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// LossToo looks for random loss beside other traffic, whose queue drops packets as well.
// A queue that drops what finds no room lets those around it wait for all of it: what is
// lost while none waited for half of it is the path's own.
func LossToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.Congested) || !congestion.LossBasedOrUnknown(v.CC) {
		return nil
	}
	if f := lossBefore(v); f != nil {
		return f
	}
	lost := v.LostOffQueue()
	left, slow := lossAloneLeaves(v, lost)
	if !slow {
		return nil
	}
	f := ofLoss(v, lost.Mean(), lossTooSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("The path also loses %s of the packets while no queue stands: %d of %d sent evenly, beside which no packet waited. Without other traffic, this loss alone leaves one stream with about %s of %s.",
		words.Percent(lost.Mean()), lost.K, lost.N, words.Rate(left), words.Rate(v.Capacity))
	return f
}

// lossAloneLeaves is the rate in bit/s that loss alone leaves one stream, and whether so many
// losses make it slow.
func lossAloneLeaves(v *view.View, lost seen.Proportion) (left float64, slow bool) {
	left = theory.CubicRate(v.Idle.Low, lost.Mean(), v.MSS)
	return left, lost.K >= seen.LeastLost && left < v.Capacity/view.GainMatters
}

// lossTooSure: others who come and go may have dropped some of it.
const lossTooSure = 0.6
