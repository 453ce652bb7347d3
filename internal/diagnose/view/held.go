//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/record"
)

// levelBelowTrains says that the stream carried as much in its last quarter as in the one
// before, at less than half of the rate at which its packets follow each other.
func (v *View) levelBelowTrains() bool {
	before, last := v.One.Goodput(0.5, 0.75), v.One.Goodput(0.75, 1)
	return v.TrainRate() >= 2*v.Rate && math.Abs(last-before) < aboutUsual/2*before
}

// heldWithoutLoss says that another lone stream of the check lost nothing, and came to the
// same rate: what the one stream lost is not what holds it there. On 2 of 2 kept directions
// like that the sender's buffer is.
func (v *View) heldWithoutLoss() bool {
	return slices.ContainsFunc(v.lone(), func(t *record.Transfer) bool {
		same := math.Abs(t.SteadyRate-v.Rate) < aboutUsual/2*v.Rate
		return t != v.One && t.Retransmits == 0 && t.Duration >= startRTTs*v.Idle.Mid && same
	})
}
