package diagnose

import (
	"cmp"
	"slices"
)

// outsent says that a queue which is full for as long each time, so that its line has
// one rate, lets more of our UDP through the more we send: what is missing is others',
// who lose to a flood and leave a stream, which gives way, less than any of it. A line
// whose own rate changes empties the same queue in other times, and knows nothing of
// what we send. least and most are what came through.
func (v *view) outsent() (least, most float64, found bool) {
	if v.isolated() || v.jittery() || !v.slow() {
		return 0, 0, false
	}
	over := v.inFullQueue()
	slices.SortFunc(over, func(a, b rung) int { return cmp.Compare(a.sent, b.sent) })
	for i, r := range over {
		if i > 0 && r.delivered < sameRate*over[i-1].delivered {
			return 0, 0, false
		}
	}
	if len(over) < 2 {
		return 0, 0, false
	}
	least, most = over[0].delivered, over[len(over)-1].delivered
	return least, most, most > outsentGain*least && v.rate < least
}

// inFullQueue are the rungs that lost packets and stood in a queue as long as any did.
func (v *view) inFullQueue() []rung {
	var out []rung
	longest := 0.0
	for _, r := range v.rungs {
		if r.lost >= fewPackets && r.duration >= leastOverload && r.waited() > leastStanding {
			out, longest = append(out, r), max(longest, r.waited())
		}
	}
	return slices.DeleteFunc(out, func(r rung) bool { return r.waited() < sameQueue*longest })
}

// waited is how long the rung's packets stood in a queue, in seconds: their own delay
// where it is timed, else that of echo probes beside them.
func (r rung) waited() float64 {
	if r.timed {
		return r.own
	}
	return r.rise
}

const (
	sameRate      = 0.97  // of what less brought is no less
	sameQueue     = 0.85  // of the longest wait: both are medians of some ten probes
	leastStanding = 0.005 // seconds, two packets at 5 Mbit/s
	// outsentSure: 9 of 9 kept directions like that are slow for others' traffic; a
	// small count, shrunk.
	outsentSure = 0.8
)
