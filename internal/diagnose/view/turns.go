//go:build !slim

package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// takesTurns says that flows are kept apart and what was sent at a rate far below what a
// flood brings stood in its queue, while nothing else moves the delay: other flows take
// their turns there, and give way to a flood.
func (v *View) takesTurns() bool {
	return slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool {
		return r.Sent < ShallowShare*v.Capacity && !r.Overloaded(v.Rungs) && r.Own > 4*v.Idle.Dev && v.waitsApart(r) && !v.besideBacklog(r)
	})
}

// besideBacklog says that what an earlier rung had left in the queue was still on its way
// when this one began: the flow that takes its turns is our own.
func (v *View) besideBacklog(r seen.Rung) bool {
	return slices.ContainsFunc(v.Rungs, func(earlier seen.Rung) bool {
		left := (1 - earlier.Known) * earlier.Sent * earlier.Duration // bits of which nobody knew at its end
		return earlier.Start < r.Start && earlier.Start+earlier.Duration+left/v.Capacity > r.Start
	})
}
