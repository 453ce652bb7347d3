package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
)

// waitsApart says that a rung stood in a queue of its own, which an overload fills, where
// flows are kept apart: half of its packets, which this host timed, waited for a quarter
// of that and more.
func (v *View) waitsApart(r seen.Rung) bool {
	own, _, _ := v.Wait()
	return r.Timed && v.Isolated() && r.Own > max(own/4, 4*v.Idle.Noise(), leastWait)
}

// takesTurns says that flows are kept apart and what was sent at a rate far below what a
// flood brings stood in its queue, while nothing else moves the delay: other flows take
// their turns there, and give way to a flood.
func (v *View) takesTurns() bool {
	return slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool {
		return r.Sent < ShallowShare*v.Capacity && !r.Overloaded(v.Rungs) && r.Own > 4*v.Idle.Dev && v.waitsApart(r)
	})
}
