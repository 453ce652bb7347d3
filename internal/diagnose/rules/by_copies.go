package rules

import (
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// ByCopies is the finding of a cause that no rule found, and whose absence makes
// copies of the path faster; nil for one that the rules would have to see.
func ByCopies(v *view.View, cause finding.Cause) *finding.Finding {
	switch cause {
	case finding.LossLimited:
		if p, _ := v.RandomLoss(); p > 0 {
			return ofLoss(v, p, ByCopiesSure(v))
		}
	case finding.Reordering:
		if v.Overtaken() {
			return ofReordering(v, ByCopiesSure(v))
		}
	case finding.ShallowBuffer:
		if own, _, known := v.Wait(); known && v.Losses.Real > 0 {
			return ofShallowBuffer(v, own, v.Isolated(), ByCopiesSure(v))
		}
	case finding.AckLimited:
		if back, found := v.AcksMayQueue(); found {
			return ofAcks(v, back, ByCopiesSure(v))
		}
	case finding.ReceiveWindow, finding.SendBuffer:
		if v.ReachesBuffers() {
			return ends.OfWindow(v, cause, ByCopiesSure(v), v.Shortfall())
		}
	}
	return nil
}

// ByCopiesSure is how sure a cause is whose absence makes copies of the path
// faster. The copies lack others' traffic, which perhaps is what drops.
func ByCopiesSure(v *view.View) float64 {
	if v.PerhapsOthers() {
		return perhapsOthers
	}
	return copiesConfidence
}

// perhapsOthers is the confidence of random loss where others' traffic, or a way
// back that is full, would look the same, and something speaks for it: 2 of 5.
const perhapsOthers = 0.5
