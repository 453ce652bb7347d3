package view

import (
	"math"
	"slices"
	"sort"

	"unchoke/internal/diagnose/seen"
)

// outsent says that a queue which is full for as long each time, so that its line has
// one rate, lets more of our UDP through the more we send: what is missing is others',
// who lose to a flood and leave a stream, which gives way, less than any of it. A line
// whose own rate changes empties the same queue in other times, and knows nothing of
// what we send. Where packets overtake each other, what they wait is no queue's, and where
// eight streams share a policer's limit, what a burst brings is out of its bucket. least
// and most are what came through.
func (v *View) outsent() (least, most float64, found bool) {
	if v.Isolated() || v.Jittery() || v.Reordered() || v.losesInRows() || v.SharesLimit() {
		return 0, 0, false
	}
	over, gain := v.inFullQueue(), outsentGain
	if v.exact(over) {
		gain = exactGain
	}
	least, most, found = v.brings(over, gain)
	return least, most, found && v.Rate < least
}

// outsentExactly is the most that came through where others are seen as outsent says, by
// rungs that tell the rate of their line to a hundredth; 0 elsewhere. The line carries that.
func (v *View) outsentExactly() float64 {
	over := v.inFullQueue()
	if !v.exact(over) || v.Isolated() || v.losesInRows() {
		return 0
	}
	least, most, more := v.brings(over, exactGain)
	if !more || v.Rate >= least {
		return 0
	}
	return most
}

// brings says that the more was sent into a full queue, the more came through, at last
// clearly more than so many times what came at first, and the least and the most of that.
func (v *View) brings(over []seen.Rung, gain float64) (least, most float64, more bool) {
	sort.SliceStable(over, func(i, j int) bool { return over[i].Sent < over[j].Sent })
	for i, r := range over {
		if i > 0 && r.Delivered < sameRate*over[i-1].Delivered {
			return 0, 0, false
		}
	}
	if len(over) < 2 {
		return 0, 0, false
	}
	fast := over[len(over)-1]
	least, most = over[0].Delivered, fast.Delivered
	if !fast.Timed {
		most *= fast.Duration / (fast.Duration + fast.Filled()) // what its queue still held came after its end
	}
	return least, most, most > gain*least*(1+v.blurs(over))
}

// losesInRows says that evenly sent packets vanished in long rows below what the path
// carries: for moments it carries nothing, which differ from rung to rung.
func (v *View) losesInRows() bool {
	return slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool {
		return r.Runs > 0 && r.Lost >= seen.FewPackets*r.Runs && !r.Overloaded(v.Rungs)
	})
}

// blurs is the share by which the rate of the shortest rung is not known: delays that vary
// move its first and its last packet.
func (v *View) blurs(rungs []seen.Rung) float64 {
	share := 0.0
	for _, r := range rungs {
		share = max(share, 2*v.Idle.Dev/r.Duration)
	}
	return share
}

// exact says that two rungs or more tell the rate of their line to a hundredth: this host timed
// their packets, nothing moves the delay but the queue, and that took equally long each
// time, so that the line did not change.
func (v *View) exact(over []seen.Rung) bool {
	if len(over) < 2 || v.Idle.Dev > exactDelay*v.Idle.Mid {
		return false
	}
	first := over[0].Own
	return !slices.ContainsFunc(over, func(r seen.Rung) bool {
		return !r.Timed || math.Abs(r.Own/first-1) > exactDelay
	})
}

// inFullQueue are the rungs that lost packets and stood in a queue as long as any did.
// One whose packets mostly waited for far less than the longest met a line whose rate
// changed meanwhile.
func (v *View) inFullQueue() []seen.Rung {
	var out []seen.Rung
	longest := 0.0
	for _, r := range v.Rungs {
		if r.Timed && r.Own < r.Filled()/2 {
			continue
		}
		if r.Lost >= seen.FewPackets && r.Duration >= leastOverload && r.Filled() > v.leastFull(r) {
			out, longest = append(out, r), max(longest, r.Filled())
		}
	}
	return slices.DeleteFunc(out, func(r seen.Rung) bool { return r.Filled() < sameQueue*longest })
}

// leastFull is the shortest wait that is taken for a full queue. Where this host timed
// the packets and nothing else moves the delay, a queue of few packets is seen.
func (v *View) leastFull(r seen.Rung) float64 {
	if r.Timed && v.Idle.Dev < exactDelay*r.OwnMost {
		return seen.LeastQueue(r)
	}
	return seen.LeastStanding
}

const (
	exactDelay = 0.01 // of the RTT, of the wait in the queue: half of the gain that is asked for
	sameRate   = 0.97 // of what less brought is no less
	sameQueue  = 0.85 // of the longest wait: both are medians of some ten probes
)
