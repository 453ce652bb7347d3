//go:build !slim

package rules

import (
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// CrowdedToo looks for others behind a window that holds one stream: eight streams, whose
// windows together do not hold them, fill the queue, and UDP, which does not give way,
// carries clearly more than they. One stream alone meets little of that.
func CrowdedToo(v *view.View, found []finding.Finding) *finding.Finding {
	held := finding.NamedAny(found, finding.SendBuffer, finding.ReceiveWindow)
	if !held || finding.Named(found, finding.Congested) || !v.HeldByWindow() || !v.EightFill() {
		return nil
	}
	if _, _, changes := seen.LineRates(v.Rungs); changes {
		return nil
	}
	if view.GainMatters*v.Eight.SteadyRate > v.Capacity {
		return nil
	}
	f := ofOthers(v, "Eight streams keep the queue full and carry less than UDP, which does not give way: others have the rest", crowdedTooSure)
	f.Severity = ends.NextSeverity
	f.Summary += " They hold the stream next, once its window is larger."
	return f
}

// crowdedTooSure: the one kept direction like that has both causes.
const crowdedTooSure = 0.5
