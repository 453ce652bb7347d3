//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// Handovers: the RTT leaps again and again, and the sender loses packets each time. A long
// queue carries a stream through the first of them, in the seconds of a test; what it
// carries in the long run follows from how soon the next one comes. It is asked where
// nothing else was found.
func Handovers(v *view.View) *finding.Finding {
	l, found := v.LosesInLeaps()
	if !found || l.Lasting >= v.Capacity/view.GainMatters {
		return nil
	}
	f := ofLoss(v, v.Losses.Lost().Mean(), handoversSure)
	f.Severity = 1 - l.Lasting/v.Capacity
	f.Summary = fmt.Sprintf("The RTT leaps by %s at once and falls back, every %s or so, as in a handover, and the stream loses packets meanwhile. For these seconds it lives on the queue and carries %s of %s; %s takes each such loss for congestion, and in the long run about %s is left.",
		words.Duration(l.By), words.Duration(l.Every), words.Rate(v.Rate), words.Rate(v.Capacity), words.CCName(v), words.Rate(l.Lasting))
	f.Evidence = append([]finding.Evidence{
		{What: "leaps of the RTT, packets lost in each", Value: float64(l.N), Unit: finding.Count},
		{What: "between two leaps", Value: l.Every, Unit: finding.Seconds},
		{What: "CUBIC in the long run, losing as often", Value: l.Lasting, Unit: finding.BitRate, Source: theory.CubicEverySource},
	}, f.Evidence...)
	return f
}

// handoversSure: 2 of 2 kept directions like that are slow in the long run, and none of 4
// for whom that leaves enough; a small count, shrunk.
const handoversSure = 0.6
