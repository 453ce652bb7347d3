//go:build !slim

package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// lossBefore is the finding where others' queue stands on the way back alone: what is lost
// this way is none of their doing.
func lossBefore(v *view.View) *finding.Finding {
	lost := v.LostBeforeOthers()
	left, slow := lossAloneLeaves(v, lost)
	if !slow || v.Rate > view.ModelSpread*left {
		return nil
	}
	f := ofLoss(v, lost.Mean(), lossBeforeSure)
	f.Summary += " Others' queue stands on the way back, and drops none of these."
	return f
}

// lossBeforeSure: the one kept direction like that gains ten times as much without it.
const lossBeforeSure = 0.7
