//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// Lasting is what of a limit in bit/s, as UDP met it for a moment, lasts: eight streams, which
// meet it for longer, carry that with their headers. Where they were not measured or carry far
// less, it is the limit.
func (v *View) Lasting(limit float64) float64 {
	if v.Eight == nil {
		return limit
	}
	if carry := v.OnWire(v.Eight.SteadyRate); carry > lastingShare*limit {
		return min(carry, limit)
	}
	return limit
}

// lastingShare: less than that eight streams carry for the losses that they meet.
const lastingShare = 0.85

// filling is the share of what a lone overload brought that came while it was sent. Its
// packets are counted whenever they come, and the queue that it fills drains after it, for
// as long as an echo waits in it.
func filling(r seen.Rung) float64 {
	if r.Timed || !r.Risen || r.Rise <= 0 {
		return 1
	}
	return r.Duration / (r.Duration + r.Rise)
}
