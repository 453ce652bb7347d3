package view

import (
	"math"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// part is what a TCP transfer had of the path while a queue stood and it had
// clearly less than all.
type part struct {
	seconds float64
	shares  flow.Spread // of the capacity
	whole   float64     // seconds of busy slots in which it had all of it
	longer  bool        // the queue then took longer than our overload of the path makes it
}

// partOf reads the busy slots of a transfer.
func (v *View) partOf(t *record.Transfer) part {
	var p part
	var shares []float64
	// A rate below takenShare makes the same queue take so much longer.
	end := v.Idle.Low + (v.FullQueue()-v.Idle.Low)/takenShare
	for _, s := range v.busySlots(t) {
		switch share := s.rate / v.Capacity; {
		case share >= baselineShare:
			p.whole += s.width
		case share < takenShare:
			p.seconds += s.width
			p.longer = p.longer || s.rtt > end
			shares = append(shares, share)
		}
	}
	p.shares = flow.SpreadOf(shares)
	return p
}

// taken says that others had a part of the path while ours ran: a queue stood, so
// that the bottleneck was busy, our stream had little of its rate, and how much
// changed from moment to moment, as where flows compete. A path whose rate falls
// gives all of the lower rate, which is constant, and its queue takes longer.
func (v *View) taken() (least, most float64, found bool) {
	if v.acksWant() || v.uneven() {
		return 0, 0, false
	}
	for _, t := range v.tcp() {
		p := v.partOf(t)
		if p.seconds >= leastTaken && p.shares.N >= 3 && !p.longer && p.shares.Dev > competes*p.shares.Mid {
			return p.shares.Low, p.shares.High, true
		}
	}
	return 0, 0, false
}

// uneven says that UDP above the ceiling did not get the same of the path each time:
// its rate changes. Others give way to a flood.
func (v *View) uneven() bool {
	least, most := math.Inf(1), 0.0
	for _, r := range v.Overloads() {
		least, most = min(least, r.Delivered), max(most, r.Delivered)
	}
	return least < SlowShare*most
}

// Slows says that the path's own rate is lower at times: a queue stands, and what a
// stream has then is less than the path carried at another time, and constant.
func (v *View) Slows() bool {
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

// SlowedTo is the rate in bit/s to which the path was slowed for a while: at which a
// stream got through while a queue stood, or eight streams, with less than half of what
// one had. 0 where there was no such time.
func (v *View) SlowedTo() float64 {
	if v.Eight != nil && v.Eight.SteadyRate < v.Rate/2 {
		return v.Eight.SteadyRate
	}
	for _, t := range v.tcp() {
		if p := v.partOf(t); p.seconds >= leastTaken {
			return p.shares.Mid * v.Capacity
		}
	}
	return 0
}

// FillsAsItIs says that a stream stood in the queue of a path whose own rate changes
// for most of its time: it carries what the path can just then.
func (v *View) FillsAsItIs() bool {
	busy := 0.0
	for _, s := range v.busySlots(v.One) {
		busy += s.width
	}
	return busy >= SlowShare*v.One.Duration && v.Slows()
}

// whileLoaded is the RTT under all TCP of this direction, from beginning to end: of
// a path whose rate changes one stream of seconds meets a part.
func (v *View) whileLoaded() flow.Spread {
	var all []float64
	for _, t := range v.tcp() {
		all = append(all, seen.RTTs(v.Run.Echo(t.Name), 0, math.Inf(1))...)
	}
	return flow.SpreadOf(all)
}
