package view

import "unchoke/internal/diagnose/seen"

// waitsApart says that a rung stood in a queue of its own, which an overload fills, where
// flows are kept apart: half of its packets, which this host timed, waited for a quarter
// of that and more.
func (v *View) waitsApart(r seen.Rung) bool {
	own, _, _ := v.Wait()
	return r.Timed && v.Isolated() && r.Own > max(own/4, 4*v.Idle.Noise(), leastWait)
}
