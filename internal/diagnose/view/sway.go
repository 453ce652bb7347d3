package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// sways says that the idle RTT moves as a queue's length does, slowly, and no
// farther than to where our overload takes it: the end of a queue.
func (v *View) sways() bool {
	if !v.Moves() || v.Jittery() && !v.Creeps() {
		return false
	}
	full := v.FullQueue()
	span := v.Idle.High - v.Idle.Low
	return full > 0 && full < v.Idle.High+sameEnd*span+seen.LeastSwaySeconds
}

// Moves says that the idle RTT changes slowly, as a queue's length does, in
// whichever direction that stands: others may fill it, and what they make it drop
// is no random loss.
func (v *View) Moves() bool {
	return v.Idle.N >= tellingProbes && v.swings() && v.smoothness <= smooth
}

// swings says that the idle RTT spans more than timers and probes make of a constant
// delay.
func (v *View) swings() bool {
	return v.Idle.High-v.Idle.Low >= max(leastSway*v.Idle.Mid, seen.LeastSwaySeconds)
}

// stirred says that the idle RTT moves as a queue's length does, and by too little or
// too slowly to be jitter that keeps the order: packets then queue for each other only
// where their delays differ by more than the distance of two probes.
func (v *View) stirred() bool {
	return v.Moves() && v.Idle.Dev < JitterOfRTT*v.Idle.Mid || v.Creeps()
}

// Creeps says that the idle RTT moves so slowly that it is a queue which others fill
// and that drains: no jitter keeps so close to what it was a probe before, and a
// handover is a jump. A queue also empties at once where others pause, by a second a
// second at the most; then it must have filled again by smaller steps.
func (v *View) Creeps() bool {
	return v.Moves() && !v.Releases() && creeps(seen.Answered(v.Run.Echo("idle")), v.Idle, v.smoothness)
}

// creeps judges a series by its spread and by von Neumann's ratio of it.
func creeps(all []record.Probe, rtt flow.Spread, smoothness float64) bool {
	s := seen.StepsOf(all)
	span, slow := rtt.High-rtt.Low, min(creeping*s.Apart/rtt.Dev, 1)
	if max(s.Up, s.Down) <= leastJump*span {
		return smoothness <= slow
	}
	return s.Drains && s.Up <= span/2 && s.Rises >= span && smoothness <= slow/2
}

// stirs says that others move the idle RTT, wherever their queue stands. Where
// nothing was sent beside which jitter would show, the RTT must fall below the idle
// one.
func (v *View) stirs() bool {
	if v.Creeps() {
		return true
	}
	if !v.stirred() || v.Jittery() || v.Bunches() {
		return false
	}
	if _, known := v.gentleRise(); known {
		return true
	}
	return v.Idle.Mid-v.LeastSeen() > v.Idle.High-v.Idle.Low
}

// Jittery says that the delay varies by itself and keeps the packets' order. Some are then
// held back and come together. Each waits for the slowest before it, so that evenly sent
// packets, far below the rate at which a queue fills, raise the RTT whenever they are sent.
// Others' queue does not grow for so few. Jitter that is shorter than the distance of two
// probes leaves them independent of each other.
func (v *View) Jittery() bool {
	if v.Releases() {
		return true
	}
	if v.Moves() && v.Idle.High-v.Idle.Low < seen.StepsOf(seen.Answered(v.Run.Echo("idle"))).Apart {
		return false
	}
	rise, known := v.gentleRise()
	usual := stats.Clamp(v.usualSpread(), v.Idle.Dev/2, v.Idle.Dev) // a few late packets are most of a deviation
	return known && (rise >= jitterRise*usual || v.Idle.Dev > jitterAlone*v.Idle.Mid && rise > jitterRise/3*v.Idle.Dev)
}

// gentleRise is the least rise of the RTT, in seconds, beside the rungs of both
// directions that fill no queue; known is false where none was timed.
func (v *View) gentleRise() (least float64, known bool) {
	for _, d := range record.Directions {
		w := v
		if d != v.Dir {
			w = Of(v.Run, d)
		}
		if w == nil {
			continue
		}
		for _, r := range w.Rungs {
			if r.Risen && r.Sent < gentleShare*w.Capacity && (!known || r.Rise < least) {
				least, known = r.Rise, true
			}
		}
	}
	return least, known
}
