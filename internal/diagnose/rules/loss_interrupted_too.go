//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// InterruptedToo looks for outages beside another cause that makes a sender back off: each
// throws the stream back, and it needs long to be where that cause does so again.
func InterruptedToo(v *view.View, found []finding.Finding) *finding.Finding {
	another := finding.NamedAny(found, finding.ShallowBuffer, finding.Policed, finding.Reordering, finding.Congested)
	n := len(v.Out.All)
	if !another || finding.Named(found, finding.LossLimited) || n < 2 || !v.Slow() || !congestion.LossBasedOrUnknown(v.CC) {
		return nil
	}
	lost := v.ThrownBack()
	if lost < thrownFar {
		return nil
	}
	f := ofOutages(v, lost, interruptedTooSure)
	f.Severity = ends.NextSeverity
	f.Summary += fmt.Sprintf(" After each it needs up to %s to be as fast as the path again.",
		words.Duration(theory.CubicGrowth(v.BDP(), v.MSS)))
	return f
}

const (
	// thrownFar: on the 6 kept directions beyond it outages cost a stream a third of its rate
	// or more, on the 4 others with two causes a fifth at the most.
	thrownFar = 0.2
	// interruptedTooSure is a small count, shrunk.
	interruptedTooSure = 0.5
)
