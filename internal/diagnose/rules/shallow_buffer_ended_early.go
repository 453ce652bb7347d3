//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// EndedEarly: a packet or two that slow start lost ended it long before the path was
// full, nothing is lost of what comes evenly, and the sender has been growing back since.
// Slow start sends in bursts, so a queue is too short for these, or managed to be. It is
// asked where nothing else was found.
func EndedEarly(v *view.View) *finding.Finding {
	if v.Alone() || !v.Slow() || !congestion.LossBasedOrUnknown(v.CC) || len(v.Stalls) > 0 || v.Overshot() {
		return nil
	}
	ended, lost, found := v.LostOnce()
	if !found || lost > fewLost || v.Losses.Steady > 0 || v.Base.K > 0 || growsBackSoon(v) {
		return nil
	}
	grows := theory.CubicGrowth(v.BDP(), v.MSS)
	return &finding.Finding{
		Cause: finding.ShallowBuffer, Confidence: endedEarlySure, Severity: v.Shortfall() / 2,
		Summary: fmt.Sprintf("Slow start lost %s and ended there, though all arrive that come evenly: a queue on the path is too short for its bursts, or drops early (an AQM such as CoDel). The sender grows back since then, for which CUBIC takes %s: one stream gets %s of %s.",
			words.Packets(lost), words.Duration(grows), words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: evenlySent(v,
			finding.Evidence{What: "slow start ended after", Value: ended, Unit: finding.Seconds},
			growingBackTakes(grows),
		),
		Remedies: []finding.Remedy{keepBusy(v), sendEvenly(v)},
	}
}

const (
	// fewLost: more, at once, are slow start's overshoot of a path that it had filled.
	fewLost = 3
	// endedEarlySure: of the two kept directions like that one has a queue too short
	// for it, one gains too little to say.
	endedEarlySure = 0.5
)
