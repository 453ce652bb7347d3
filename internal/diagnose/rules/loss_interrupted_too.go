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

// InterruptedToo looks for outages beside a queue or a policer that drops packets: each
// throws the stream back, and it needs long to be where those drop again.
func InterruptedToo(v *view.View, found []finding.Finding) *finding.Finding {
	drops := finding.Named(found, finding.ShallowBuffer) || finding.Named(found, finding.Policed)
	n := len(v.Out.All)
	if !drops || finding.Named(found, finding.LossLimited) || n < 2 || !v.Slow() || !congestion.LossBasedOrUnknown(v.CC) {
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
	// thrownFar: on the 3 kept directions beyond it outages cost a stream half of its rate,
	// on the 4 others with two causes a fifth at the most.
	thrownFar = 0.3
	// interruptedTooSure is a small count, shrunk.
	interruptedTooSure = 0.5
)
