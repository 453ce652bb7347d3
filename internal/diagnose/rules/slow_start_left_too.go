//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// LeftEarlyToo looks, beside a queue that bunches overflow, for a sender that took the
// delay which makes them for a queue, and left slow start (HyStart) with little of the
// path: with a fifth of what fills it, or, where the sender does not tell, after hardly a
// loss.
func LeftEarlyToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.ShallowBuffer) || finding.Named(found, finding.SlowStart) || !heldInOrder(v) {
		return nil
	}
	exit, known := v.SlowStartExit()
	if exit == 0 {
		exit, known = v.FarExit()
	}
	var why string
	switch {
	case known && exit <= earlyExit*v.BDP():
		why = fmt.Sprintf("The sender took it for a queue and left slow start (HyStart) with %s under way of the %s that fill this path; growing from there takes long.", words.Size(exit), words.Size(v.BDP()))
	case exit == 0 && v.Losses.Real <= hardlyLost:
		why = "Hardly anything was lost: a sender that takes such a delay for a queue leaves slow start early (HyStart), and grows slowly since."
	default:
		return nil // a loss may have ended it, or it had most of the path by then
	}
	f := ofSlowStart(v, leftEarlySure, fmt.Sprintf("The delay varies by ±%s. %s", words.Duration(v.Idle.Dev), why))
	f.Severity = ends.NextSeverity
	return f
}

// heldInOrder says that a CUBIC stream has little of a path whose delay varies by much
// and keeps the packets' order.
func heldInOrder(v *view.View) bool {
	return v.CC == "cubic" && (variesInOrder(v) || v.Bunches()) && !v.Overtaken() && v.Rate < little*v.Capacity
}

const (
	// little is of the path's rate. Of the kept directions with such a delay that had less
	// and hardly lost anything, or left slow start with a fifth of what fills the path, 4 of
	// 5 were slow for that; of 40 that had more 2.
	little     = 0.24
	earlyExit  = 0.2
	hardlyLost = 2 // packets
	// leftEarlySure: they are few.
	leftEarlySure = 0.5
)
