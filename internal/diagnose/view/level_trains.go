//go:build !slim

package view

import "math"

// levelBelowTrains says that the stream carried as much in its last quarter as in the one
// before, at less than half of the rate at which its packets follow each other.
func (v *View) levelBelowTrains() bool {
	before, last := v.One.Goodput(0.5, 0.75), v.One.Goodput(0.75, 1)
	return v.TrainRate() >= 2*v.Rate && math.Abs(last-before) < aboutUsual/2*before
}
