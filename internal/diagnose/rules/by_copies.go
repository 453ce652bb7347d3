package rules

import (
	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// ByCopies is the finding of a cause that no rule found, and whose absence makes
// copies of the path faster; nil for one that the rules would have to see.
func ByCopies(v *view.View, cause finding.Cause) *finding.Finding {
	sure := ByCopiesSure(v, cause)
	switch cause {
	case finding.LossLimited:
		if len(v.Out.All) > 0 && v.Base.K == 0 {
			return ofOutages(v, v.ThrownBack(), sure)
		}
		if _, policed := v.Policer(); policed && v.Base.K == 0 {
			return nil // no queue tells a policer's drops from chance
		}
		if p, _ := v.RandomLoss(); p > 0 && !v.UDPLosesAlone() {
			return ofLoss(v, p, sure)
		}
	case finding.Reordering:
		if v.Overtaken() {
			return ofReordering(v, sure)
		}
	case finding.ShallowBuffer:
		own, _, known := v.Wait()
		switch {
		case v.Overtaken():
			return ofBunches(v, own, sure, "Copies of the path that keep the order are hardly faster; those whose delay is constant are.")
		case v.HardlyBegun() && float64(v.Losses.Real) >= leastOvershoot:
			return nil // streams in copies are as young, and slow start overflows any queue
		case known && v.Losses.Real > 0:
			return ofShallowBuffer(v, own, v.Isolated(), sure)
		}
	case finding.Policed:
		return policedByCopies(v)
	case finding.AckLimited:
		if back, found := v.AcksMayQueue(); found {
			return ofAcks(v, back, sure)
		}
	case finding.ReceiveWindow, finding.SendBuffer:
		if v.ReachesBuffers() {
			return ends.OfWindow(v, cause, sure, v.Shortfall())
		}
	}
	return nil
}

// ByCopiesSure is how sure a cause is whose absence makes copies of the path
// faster. The copies lack others' traffic, which perhaps is what drops.
func ByCopiesSure(v *view.View, cause finding.Cause) float64 {
	switch {
	case v.PerhapsOthers():
		return perhapsOthers
	case cause == finding.Reordering && v.Regrows() && v.Losses.Real == 0:
		return regrowsInCopies
	case v.Overtaken() && (cause == finding.Reordering || cause == finding.ShallowBuffer):
		return oneDelayTwoCauses
	}
	return copiesConfidence
}

// perhapsOthers is the confidence of random loss where others' traffic, or a way
// back that is full, would look the same, and something speaks for it: 2 of 5.
const perhapsOthers = 0.5

// oneDelayTwoCauses is the confidence in one of what a delay that varies does, where
// packets overtake and come in bunches: copies told 22 of 31 kept directions rightly.
const oneDelayTwoCauses = 0.72

// regrowsInCopies is the confidence that packets that overtake hold a stream which lost
// nothing and sped up ever since: copies run for no longer than it did, and of 5 such
// streams 4 fill the path later.
const regrowsInCopies = 0.4
