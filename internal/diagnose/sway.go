package diagnose

import (
	"math"

	"unchoke/internal/record"
)

// sways says that the idle RTT moves as a queue's length does, slowly, and no
// farther than to where our overload takes it: the end of a queue.
func (v *view) sways() bool {
	if !v.moves() || v.jittery() && !v.creeps() {
		return false
	}
	full := v.fullQueue()
	span := v.idle.High - v.idle.Low
	return full > 0 && full < v.idle.High+sameEnd*span+leastSwaySeconds
}

// moves says that the idle RTT changes slowly, as a queue's length does, in
// whichever direction that stands: others may fill it, and what they make it drop
// is no random loss.
func (v *view) moves() bool {
	return v.idle.N >= 40 && v.idle.High-v.idle.Low >= max(leastSway*v.idle.Mid, leastSwaySeconds) && v.smoothness <= smooth
}

// stirred says that the idle RTT moves as a queue's length does, and by too little or
// too slowly to be jitter that keeps the order: packets then queue for each other only
// where their delays differ by more than the distance of two probes.
func (v *view) stirred() bool {
	return v.moves() && v.idle.Dev < jitterOfRTT*v.idle.Mid || v.creeps()
}

// creeps says that the idle RTT moves so slowly, by small steps, that it is a queue
// which others fill and that drains: no jitter keeps so close to what it was a probe
// before, and a handover is a jump.
func (v *view) creeps() bool {
	if !v.moves() || v.smoothness > creeping {
		return false
	}
	all := answered(v.run.Echo("idle"))
	last := len(all) - 1
	if apart := (all[last].At - all[0].At) / float64(last); v.idle.Dev > creepingProbes*apart {
		return false
	}
	for i, p := range all[1:] {
		if math.Abs(p.RTT-all[i].RTT) > leastJump*(v.idle.High-v.idle.Low) {
			return false
		}
	}
	return true
}

// stirs says that others move the idle RTT, wherever their queue stands. Where
// nothing was sent beside which jitter would show, the RTT must fall below the idle
// one.
func (v *view) stirs() bool {
	if v.creeps() {
		return true
	}
	if !v.stirred() || v.jittery() || v.bunches() {
		return false
	}
	if _, known := v.gentleRise(); known {
		return true
	}
	return v.idle.Mid-v.leastSeen() > v.idle.High-v.idle.Low
}

// stirsSure: of 10 kept directions on which no rule was surer than 0.7, 9 were slow
// for others' traffic, and the tenth perhaps.
const stirsSure = 0.8

// jittery says that the delay varies by itself and keeps the packets' order: each
// waits for the slowest before it, so that evenly sent packets, far below the rate
// at which a queue fills, raise the RTT whenever they are sent. Others' queue does
// not grow for so few.
func (v *view) jittery() bool {
	rise, known := v.gentleRise()
	return known && (rise >= jitterRise*v.idle.Dev || v.idle.Dev > jitterAlone*v.idle.Mid && rise > jitterRise/3*v.idle.Dev)
}

// gentleRise is the least rise of the RTT, in seconds, beside the rungs of both
// directions that fill no queue; known is false where none was timed.
func (v *view) gentleRise() (least float64, known bool) {
	for _, d := range record.Directions {
		w := v
		if d != v.dir {
			w = newView(v.run, d)
		}
		if w == nil {
			continue
		}
		for _, r := range w.rungs {
			if r.risen && r.sent < gentleShare*w.capacity && (!known || r.rise < least) {
				least, known = r.rise, true
			}
		}
	}
	return least, known
}
