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
	held := finding.Named(found, finding.SendBuffer) || finding.Named(found, finding.ReceiveWindow)
	if !held || finding.Named(found, finding.Congested) || !v.HeldByWindow() || v.Eight == nil || v.Isolated() || v.Bunches() {
		return nil
	}
	if _, acks := v.AcksQueue(); acks || v.Base.K > 0 || len(v.Out.All) > 0 {
		return nil
	}
	if _, _, changes := seen.LineRates(v.Rungs); changes {
		return nil
	}
	stood, full := v.Busier.Mid-v.Idle.Mid, v.FullQueue()-v.Idle.Mid
	if stood < fullOfEight*full || full < seen.LeastStanding || view.GainMatters*v.Eight.SteadyRate > v.Capacity {
		return nil
	}
	f := ofOthers(v, "Eight streams keep the queue full and carry less than UDP, which does not give way: others have the rest", crowdedTooSure)
	f.Severity = ends.NextSeverity
	f.Summary += " They hold the stream next, once its window is larger."
	return f
}

const (
	// fullOfEight is the share of a full queue that eight streams keep: less, and they
	// overflow it by themselves.
	fullOfEight = 0.8
	// crowdedTooSure: the one kept direction like that has both causes.
	crowdedTooSure = 0.5
)
