//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// Steps are two rates in bit/s between which a line changes, and the bytes that its queue
// holds.
type Steps struct{ Least, Most, Queue float64 }

// Steps are those of this direction's line: a full queue took as much longer at the one
// rate as that is lower, or UDP met the one and eight streams the other.
func (v *View) Steps() (s Steps, found bool) {
	s.Least, s.Most, found = seen.LineRates(v.Rungs)
	if !found && v.Contradicted() {
		s.Least, found = v.Ceiling()
		s.Most = v.Eight.SteadyRate
	}
	own, _, _ := v.Wait()
	s.Queue = own * s.Least / 8
	return s, found && s.Queue > 0
}

// Held is the share that a stream has, of what is under way at the faster rate in so many
// seconds of RTT, when that begins: what is under way at the slower one, and the queue,
// which it overflows there.
func (s Steps) Held(rtt float64) float64 {
	return (s.Least*rtt/8 + s.Queue) / (s.Most * rtt / 8)
}
