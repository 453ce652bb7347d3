//go:build !slim

package rules

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// SpeckAhead is what becomes of a direction said to be healthy whose queue holds a few
// packets, where the stream has not met it since its slow start: it meets it as soon as it
// fills the path. Where eight streams do not fill the path either, they have met it.
func SpeckAhead(v *view.View, here []finding.Finding) []finding.Finding {
	own, beside, known := v.Wait()
	if len(here) != 1 || here[0].Cause != finding.Healthy || !known || !isSpeck(v, beside) ||
		!congestion.LossBased(v.CC) || v.Losses.Steady > 0 || v.Base.K > 0 {
		return here
	}
	if v.Eight != nil && v.Eight.SteadyRate < view.SlowShare*v.Capacity {
		f := ofShallowBuffer(v, own, false, speckAheadSure)
		f.Summary += " It has hardly met that queue yet; eight streams, which have, do not fill the path."
		return []finding.Finding{*f}
	}
	f := &here[0]
	doubt(f, speckAheadMost, "But the queue at the bottleneck holds only %s, and the stream has not met it since its start: a longer one may overflow it again and again.", words.Size(own*v.Capacity/8))
	return here
}

// The one kept direction like that, of five packets, left a stream 0.52 of the path in the
// long run, and had left eight streams 0.75.
const (
	speckAheadSure = 0.5
	speckAheadMost = 0.6
)
