package diagnose

import (
	"slices"

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
func (v *view) partOf(t *record.Transfer) part {
	var p part
	var shares []float64
	// A rate below takenShare makes the same queue take so much longer.
	end := v.idle.Low + (v.fullQueue()-v.idle.Low)/takenShare
	for _, s := range v.busySlots(t) {
		switch share := s.rate / v.capacity; {
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
func (v *view) taken() (least, most float64, found bool) {
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

// acksWant says that acknowledgements take enough of the way back to stand in a
// queue of their own there.
func (v *view) acksWant() bool {
	back := newCeiling(v.run, v.dir.Opposite())
	return back <= 0 || v.rate/float64(2*v.mss)*ackSize >= thinShare/2*back*wirePerGoodput
}

// uneven says that UDP above the ceiling did not get the same of the path each time:
// its rate changes. Others give way to a flood.
func (v *view) uneven() bool {
	over := v.overloads()
	if len(over) == 0 {
		return false
	}
	by := func(a, b rung) int { return int(a.delivered - b.delivered) }
	return slices.MinFunc(over, by).delivered < slowShare*slices.MaxFunc(over, by).delivered
}
