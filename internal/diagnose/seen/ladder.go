package seen

import (
	"sort"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
)

// ServiceRate is the rate in bit/s at which the path served a UDP ladder, from
// what the far end counted interval by interval. A rung tells how much of it
// arrived, not when: where a queue took it in, it arrived after the rung was
// over, and the rung's own figure is too high. Echo probes do not show that
// where the queue keeps flows apart (fq_codel, cake).
//
// The ladder is taken for a fluid that flows into a queue which is served at a
// constant rate. The service rate is the one at which the fluid's arrivals
// agree with those counted, and what was late by then, divided by it, is how
// long packets waited, in seconds: the length of the queue. It is not found
// where nothing arrived late. Each test is counted by itself: a stock server rounds
// what it counts, and the errors of several would add up to a few milliseconds' late.
func ServiceRate(rungs []Rung, arrivals []record.FarInterval, idle flow.Spread) (rate, wait float64, found bool) {
	for rest := arrivals; len(rest) > 0; {
		test := testFrom(rest)
		rest = rest[len(test):]
		own := rungsIn(rungs, test)
		in := inflow(own)
		// The far end's clock starts a round trip before the first packet
		// reaches it: half of one for its word to start, half for the packet. Where a
		// word was lost, by as much earlier.
		ahead := idle.Mid + max(wordLost(own, test, idle.Mid), 0)
		counted := 0.0
		for _, a := range test {
			counted += a.Rate * (a.End - a.Start)
			at := a.End - ahead
			late := in.by(at) - counted
			if counted <= 0 || late <= 0 {
				continue
			}
			served := in.servedAt(at, counted)
			if w := late / served; w > max(leastLate, lateShare*idle.Mid, lateNoise*idle.Dev) {
				rate, wait, found = served, max(wait, w), true
			}
		}
	}
	// Where others give way to a faster sender, the rate is not constant, and
	// the most that was counted in an interval is nearer to the path's.
	for _, a := range arrivals {
		span := a.End - a.Start
		if span >= leastInterval || span >= leastInterval/2 && span*a.Rate >= tellingBits {
			rate = max(rate, a.Rate)
		}
	}
	return rate, wait, found
}

// tellingBits are fifty full packets: counted in a shorter interval they tell a rate
// to a fiftieth.
const tellingBits = 50 * wire.Segment * 8

// testFrom are the intervals of the test that the first of them belongs to: each test
// is counted without a gap.
func testFrom(arrivals []record.FarInterval) []record.FarInterval {
	n := 1
	for n < len(arrivals) && arrivals[n].Start <= arrivals[n-1].End+leastLate {
		n++
	}
	return arrivals[:n]
}

// rungsIn are the rungs of a test.
func rungsIn(rungs []Rung, test []record.FarInterval) []Rung {
	var own []Rung
	for _, r := range rungs {
		if r.Start > test[0].Start-leastLate && r.Start < test[len(test)-1].End {
			own = append(own, r)
		}
	}
	return own
}

// wordLost is how much longer a test lasted for the far end than it should have, in
// seconds, where no echo probe waited for half as long: its word to begin was lost on
// the way and came again, or ours to end was, so that its clock may have begun by as
// much earlier. A test lasts a round trip longer for the far end than its rungs, and
// this end waits for stragglers before it ends it.
func wordLost(rungs []Rung, test []record.FarInterval, rtt float64) float64 {
	last, waited := test[0].Start, 0.0
	for _, r := range rungs {
		last, waited = max(last, r.Start+r.Duration), max(waited, r.Rise)
	}
	longer := test[len(test)-1].End - last - 2*rtt - lingers
	if waited > longer/2 {
		return 0 // our word waited in a queue
	}
	return longer
}

// lingers is for how long a check waits for stragglers beside a round trip, in
// seconds (probe's linger).
const lingers = 0.2

// flow of bits into the bottleneck, as pieces of constant rate in order of
// time.
type inflowing []piece

type piece struct{ from, to, bits float64 }

// inflow is what of each rung arrived at all, as it was sent.
func inflow(rungs []Rung) inflowing {
	var out inflowing
	for _, r := range rungs {
		if r.Arrived > 0 && r.Duration > 0 {
			out = append(out, piece{r.Start, r.Start + r.Duration, r.Arrived})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// by is how many bits had been sent by a time.
func (in inflowing) by(t float64) float64 {
	sum := 0.0
	for _, p := range in {
		sum += p.bits * stats.Clamp((t-p.from)/(p.to-p.from), 0, 1)
	}
	return sum
}

// served is how many bits had left a queue that is served at a rate: the least
// of what had come in by some earlier moment and what was served since.
func (in inflowing) served(t, rate float64) float64 {
	least := in.by(t)
	for _, p := range in {
		for _, edge := range []float64{p.from, p.to} {
			if edge < t {
				least = min(least, in.by(edge)+rate*(t-edge))
			}
		}
	}
	return least
}

// servedAt is the rate at which so many bits have been served by a time.
func (in inflowing) servedAt(t, bits float64) float64 {
	const fastest = 1e12 // faster than any link
	low, high := 0.0, fastest
	for range 80 {
		if mid := (low + high) / 2; in.served(t, mid) < bits {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
