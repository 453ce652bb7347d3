package seen

import (
	"math"
	"testing"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// A queue in front of 56 Mbit/s takes in all of three rungs and lets them out
// at its own rate.
func TestServiceRate(t *testing.T) {
	const rate, rtt = 56e6, 0.04
	idle := flow.Spread{N: 50, Mid: rtt, Dev: 0.001}
	rungs := []Rung{
		{Start: 7, Duration: 0.35, Arrived: 32e6 * 0.35},
		{Start: 7.35, Duration: 0.35, Arrived: 81e6 * 0.35},
		{Start: 7.7, Duration: 0.35, Arrived: 70e6 * 0.35},
		{Start: 8.05, Duration: 0.3, Arrived: 57e6 * 0.3},
	}
	in := inflow(rungs)
	first := in.served(8-rtt, rate)
	late := (in.by(8-rtt) - first) / rate
	arrivals := []record.FarInterval{
		{Start: 7, End: 8, Rate: first},
		{Start: 8, End: 8.63, Rate: (in.by(9) - first) / 0.63},
	}
	if got, wait, ok := ServiceRate(rungs, arrivals, idle); !ok || math.Abs(got-rate) > 0.02*rate || math.Abs(wait-late) > 1e-3 {
		t.Errorf("served at %.4g after %.4g s (%v), want %.4g and %.4g", got, wait, ok, rate, late)
	}
	arrivals[1].End += 0.5 // the far end's word to begin was lost, and came again
	arrivals[1].Rate *= 0.63 / 1.13
	if got, _, ok := ServiceRate(rungs, arrivals, idle); ok {
		t.Errorf("a clock that began earlier was taken for a queue, served at %.4g", got)
	}
	for i := range rungs {
		rungs[i].Rise = 0.5 // our word to end waited in a queue
	}
	if _, _, ok := ServiceRate(rungs, arrivals, idle); !ok {
		t.Error("a queue was taken for a clock that began earlier")
	}
	arrivals[1].End -= 0.5
	arrivals[1].Rate *= 1.13 / 0.63
	idle.Dev = late // both clocks' beginnings met a delay that varies by as much
	if got, _, ok := ServiceRate(rungs, arrivals, idle); ok {
		t.Errorf("jitter was taken for a queue, served at %.4g", got)
	}
	idle.Dev = 0
	arrivals[0].Rate = in.by(8 - rtt)
	arrivals[1].Rate = (in.by(9) - arrivals[0].Rate) / 0.63
	if got, _, ok := ServiceRate(rungs, arrivals, idle); ok {
		t.Errorf("nothing was late, and it was served at %.4g", got)
	}
	if _, _, ok := ServiceRate(nil, arrivals, idle); ok {
		t.Error("a ladder without rungs was served")
	}
}

// A server prints three figures of each rate: what that leaves out of five tests is not
// late together.
func TestRoundedArrivals(t *testing.T) {
	const rtt = 0.037
	var rungs []Rung
	var arrivals []record.FarInterval
	for begin := 10.0; begin < 20; begin += 2 {
		rungs = append(rungs, Rung{Start: begin, Duration: 1, Arrived: 50e6})
		arrivals = append(arrivals, record.FarInterval{Start: begin, End: begin + 1.27, Rate: 0.995 * 50e6 / 1.27})
	}
	if rate, wait, ok := ServiceRate(rungs, arrivals, flow.Spread{N: 50, Mid: rtt}); ok {
		t.Errorf("served at %.4g after %.4g s", rate, wait)
	}
	arrivals[4].Rate *= 0.9
	if _, _, ok := ServiceRate(rungs, arrivals, flow.Spread{N: 50, Mid: rtt}); !ok {
		t.Error("a tenth that was late is not")
	}
}
