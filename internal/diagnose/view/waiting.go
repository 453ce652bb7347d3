package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/stats"
)

// Wait is how long packets wait at the bottleneck when more is offered than it
// carries, in seconds: how long its queue is. own is the wait of the packets
// offered, others that of packets beside them; a queue that keeps flows apart
// makes only the former wait. known is false where no rung overloaded the path.
func (v *View) Wait() (own, others float64, known bool) {
	for _, r := range v.Overloads() {
		if r.Risen && !v.waitedBehind(r) {
			own, others, known = max(own, r.Rise), max(others, r.Rise), true
		}
		if r.Timed {
			own, known = max(own, r.Own-v.steadyOwn()), true
		}
	}
	if !known {
		return 0, 0, false
	}
	return max(own, v.tcpRise, v.late), others, true
}

// waitedBehind says that echo probes beside a rung waited on their way back: for clearly
// longer than any of the rung's own packets, which this host timed, and beside gentler
// rungs as well. Where they wait beside an overload alone it is its queue, and the rung's
// packets, whose delay is known but for a constant, found it full from the first on.
func (v *View) waitedBehind(r seen.Rung) bool {
	return r.Timed && clearlyLonger(r.Rise, r.OwnMost) && slices.ContainsFunc(v.Rungs, func(gentle seen.Rung) bool {
		return gentle.Risen && !gentle.Overloaded(v.Rungs) && gentle.Rise > waitsAnyway*r.Rise
	})
}

// waitsAnyway is the share of a wait beside an overload that probes have without it
// where it is not the overload's.
const waitsAnyway = 0.25

// clearlyLonger says that a wait is no other's with noise: more than twice as long.
func clearlyLonger(wait, other float64) bool { return wait > 2*other+leastWait }

// Isolated says that the bottleneck keeps flows apart (fq_codel, cake): those
// that fill it wait, and others do not, beside a flood or beside TCP. A flood
// of a second may end before a slow line's queue is full, which TCP fills.
func (v *View) Isolated() bool {
	own, others, known := v.Wait()
	known = known && (v.Loaded.N > 0 || v.Busier.N > 0 || v.FullQueue() > 0) // a probe tells whether others wait
	beside := max(others, v.Loaded.Mid-v.Idle.Mid, v.Busier.Mid-v.Idle.Mid)
	return known && clearlyLonger(own, beside)
}

// Unanswered says that no echo probe was: whether a queue stands, for our stream or for
// others', is not known.
func (v *View) Unanswered() bool { return !seen.AnyAnswered(v.Run) }

// inQueue says that a rung lost packets and ran while the queue that an overload fills
// was half full or more, by the echo probes beside it: the path carried less then
// than at another time. What makes probes wait where no overload did is no such queue.
// Where flows are kept apart, the probes meet no queue, and the rung's own packets tell.
func (v *View) inQueue(r seen.Rung) bool {
	_, full, known := v.Wait()
	return known && r.Lost > 0 && (v.waitsApart(r) || full > 0 && r.Risen && r.Rise > max(full/2, 4*v.Idle.Noise(), leastWait))
}

// LostOffQueue counts what was lost of rungs below the ceiling, none of whose packets
// waited for half of what they wait in the full queue, nor the echo probes beside them:
// a packet's own wait is above the least of its rung's, in a queue that never empties as
// well. 0 of 0 where this host did not time them, found no such queue, or where so much
// is lost that others' queue must be what drops.
func (v *View) LostOffQueue() (lost seen.Proportion) {
	full, least := 0.0, v.LeastSeen()
	for _, r := range v.Overloads() {
		if r.Timed {
			full = max(full, r.OwnMost)
		}
	}
	if full < 2*leastWait {
		return lost
	}
	for _, r := range v.Rungs {
		empty := r.Timed && r.Longest < full/2 && r.Spread.High < least+full/2
		if empty && v.carries(r) {
			lost.Add(r.Lost, r.Packets)
		}
	}
	if lost.Mean() >= besiegedLost {
		return seen.Proportion{}
	}
	return lost
}

// steadyOwn is how much the delay of the packets of a rung varied where the
// path was not full: the path's jitter, which is no queue. Where packets overtake each
// other, the least delay of many is less than that of few: there it is the longest of the
// rungs that lost nothing.
func (v *View) steadyOwn() float64 {
	steady := -1.0
	for _, r := range v.Rungs {
		if r.Timed && !r.Overloaded(v.Rungs) && (steady < 0 || r.Own > steady && r.Reordered > 0 && r.Lost == 0) {
			steady = r.Own
		}
	}
	return max(steady, 0)
}

// tcpRiseOf is the longer of what one stream's packets waited and eight streams'.
func tcpRiseOf(v *View) float64 {
	rise := 0.0
	for _, t := range v.tcp() {
		if v.Idle.N > 0 {
			rise = max(rise, seen.SendersRTT(t)-v.Idle.Mid)
		}
	}
	return rise
}

// deep says that the bottleneck has a queue so long that a stream which loses
// while none of it stands has not overflowed it.
func (v *View) deep() bool {
	_, others, known := v.Wait()
	return known && others > ShallowQueue*v.Idle.Mid || v.Busier.N > 0 && v.Busier.Mid > (1+ShallowQueue)*v.Idle.Mid
}

// Waited is how far the longest RTTs beside the one stream stood above the idle one,
// in seconds: of fifty the longest is left out.
func (v *View) Waited() float64 {
	e := v.Run.Echo(v.One.Name)
	if e == nil {
		return 0
	}
	all := seen.RTTs(e, 0, v.One.Duration)
	if len(all) == 0 {
		return 0
	}
	return stats.Quantile(all, 0.98) - v.Idle.Mid
}
