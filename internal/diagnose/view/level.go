package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// standsLevel says that a stream which lost something carried the same in each round trip
// for most of its time, and UDP far more: what it lost did not hold it there.
func (v *View) standsLevel() bool {
	faster := slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool { return r.Delivered >= GainMatters*v.Rate && !r.Unfinished() })
	return faster && seen.Plateau(v.One, v.Idle.Mid, v.MSS) > 0.5
}
