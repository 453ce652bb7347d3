package diagnose

import (
	"math"

	"unchoke/internal/flow"
)

// slows says that the path's own rate is lower at times: a queue stands, and what a
// stream has then is less than the path carried at another time, and constant.
func (v *view) slows() bool {
	for _, t := range v.tcp() {
		p := v.partOf(t)
		if p.seconds < leastTaken || v.acksWant() {
			continue
		}
		constant := p.shares.N >= 3 && p.shares.Dev < competes/2*p.shares.Mid
		if p.longer || v.uneven() || constant && p.whole >= leastTaken {
			return true
		}
	}
	return false
}

// fillsAsItIs says that a stream stood in the queue of a path whose own rate changes
// for most of its time: it carries what the path can just then.
func (v *view) fillsAsItIs() bool {
	busy := 0.0
	for _, s := range v.busySlots(v.one) {
		busy += s.width
	}
	return busy >= slowShare*v.one.Duration && v.slows()
}

// whileLoaded is the RTT under all TCP of this direction, from beginning to end: of
// a path whose rate changes one stream of seconds meets a part.
func (v *view) whileLoaded() flow.Spread {
	var all []float64
	for _, t := range v.tcp() {
		all = append(all, rtts(v.run.Echo(t.Name), 0, math.Inf(1))...)
	}
	return flow.SpreadOf(all)
}
