package closely

import (
	"math"

	"unchoke/internal/live"
)

const (
	leastTogether = 100 // looks
	leastTrips    = 12
	leastFlight   = 4   // segments: below, one more or less is a quarter
	queueAbove    = 1.1 // of the least round trip: where no queue stands, it follows nothing
)

// queueOf holds each look's round trip against what was under way when the segment
// left that it is of. The kernel's smoothed one is of the last few acknowledgements.
func queueOf(all []look, rtt float64) live.Queue {
	var n, flight, trip, flights, trips, both float64
	if rtt == 0 || len(all) == 0 || all[len(all)-1].at-all[0].at < leastTrips*rtt {
		return live.Queue{}
	}
	stands := queueAbove * leastOf(all)
	before := 0
	for k := range all {
		x := &all[k]
		left := x.at - float64(x.rtt)
		for before+1 < k && all[before+1].at <= left {
			before++
		}
		if x.recovers || x.slowStart || float64(x.rtt) < stands || all[before].at > left || all[before].recovers || all[before].flight < leastFlight {
			continue
		}
		f, t := math.Log(float64(all[before].flight)), math.Log(float64(x.rtt))
		n, flight, trip = n+1, flight+f, trip+t
		flights, trips, both = flights+f*f, trips+t*t, both+f*t
	}
	if n < leastTogether {
		return live.Queue{}
	}
	flights, trips, both = flights/n-flight*flight/n/n, trips/n-trip*trip/n/n, both/n-flight*trip/n/n
	out := live.Queue{Looks: int(n), Sway: math.Sqrt(max(trips, 0))}
	if flights > 0 && trips > 0 && both > 0 { // one that falls as the other grows follows nothing
		out.Own = min(both*both/(flights*trips), 1)
	}
	return out
}

// leastOf is the least round trip, 0 where none is known.
func leastOf(all []look) float64 {
	least := float32(0)
	for _, x := range all {
		if x.rtt > 0 && (least == 0 || x.rtt < least) {
			least = x.rtt
		}
	}
	return float64(least)
}
