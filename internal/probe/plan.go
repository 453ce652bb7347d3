package probe

import (
	"math"
	"slices"
	"time"

	"unchoke/internal/stats"
	"unchoke/internal/wire"
	"unchoke/iperf3"
)

// plan says how long each step of a check may take, and in which order steps
// are given up when time runs short. It is pure: the clock stays outside.
type plan struct {
	rtt    time.Duration // idle, once known
	budget time.Duration // of path time, for everything
	quick  bool
}

// Budgets of path time.
const (
	DefaultBudget = 30 * time.Second
	QuickBudget   = 10 * time.Second
)

// LeastBudget is what a check takes in any case, however short the path: it
// watches the idle path, and one stream down.
func LeastBudget(quick bool) time.Duration {
	p := plan{quick: quick}
	return p.idle() + p.singleTime()
}

// Echoes: often enough to see a queue fill, rarely enough to load nothing.
const (
	idleInterval = 20 * time.Millisecond
	loadInterval = 20 * time.Millisecond
	rungInterval = 5 * time.Millisecond
)

// probesMost is the share of a line that echo probes beside a rung may take: at 200 a
// second they would fill half of a way back of 150 kbit/s, and find a queue of their
// own there.
const probesMost = 0.1

// besideRung is the distance of echo probes beside a rung: short enough to see a queue
// fill within it, where the thinnest direction carries that. Its rate is in bit/s, 0
// where it is not known.
func besideRung(thinnest float64) time.Duration {
	if thinnest <= 0 {
		return rungInterval
	}
	fitting := time.Duration(wire.Echo * 8 / (probesMost * thinnest) * float64(time.Second))
	return min(max(rungInterval, fitting), loadInterval)
}

// controlRTTs is what an iperf3 test costs beyond its data: connecting, cookie and
// parameters, a path that drains meanwhile, streams, start, and the results.
const controlRTTs = 6

func (p plan) overhead() time.Duration { return controlRTTs*p.rtt + 20*time.Millisecond }

// idle is how long the path is watched without load: seventy probes make the
// median's error a seventh of the jitter, and a queue that others keep there
// changes its length within a second.
func (p plan) idle() time.Duration {
	if p.quick {
		return 500 * time.Millisecond
	}
	return 1500 * time.Millisecond
}

// single bounds the test of one stream. Slow start takes about log2(BDP/10
// segments) round trips, 10 for 100 Mbit/s at 300 ms; then as long again, and a
// few seconds, to see what holds it back and a retransmission timeout or two
// (RFC 6298: at least a second each by the standard, 200 ms in Linux). It ends
// between the two as soon as the rate has settled.
func (p plan) single() (least, most time.Duration) {
	if p.quick {
		return 1200*time.Millisecond + 4*p.rtt, 1500*time.Millisecond + 5*p.rtt
	}
	return min(2500*time.Millisecond+8*p.rtt, longest-time.Second), min(4*time.Second+10*p.rtt, longest)
}

// singleTime is the most that the test takes, what it costs beyond its data included.
func (p plan) singleTime() time.Duration { _, most := p.single(); return most + p.overhead() }

// longest leaves time for the other direction on paths through space.
const longest = 7500 * time.Millisecond

// many is the length of the test of eight streams.
func (p plan) many() time.Duration {
	if p.quick {
		return 700*time.Millisecond + 4*p.rtt
	}
	return 1500*time.Millisecond + 6*p.rtt
}

// longer shares what time is left among one or two streams that are to last for some
// time at least: equally where that is enough for both, else the first for which it is
// gets all.
func (p plan) longer(left time.Duration, least []time.Duration) []time.Duration {
	times := make([]time.Duration, len(least))
	var longest time.Duration
	for _, t := range least {
		longest = max(longest, t)
	}
	if n := time.Duration(len(least)); n > 0 && left/n-p.overhead() >= longest {
		for i := range times {
			times[i] = left/n - p.overhead()
		}
		return times
	}
	for i, t := range least {
		if left-p.overhead() >= t {
			times[i] = left - p.overhead()
			break
		}
	}
	return times
}

// slot is the length of one rung of the UDP ladder.
func (p plan) slot() time.Duration {
	if p.quick {
		return 200 * time.Millisecond
	}
	return 350 * time.Millisecond
}

// settled says that a stream's rate no longer changes: the two halves of what
// came after slow start agree within a twentieth. bytes holds the running
// total at equal steps of time.
func settled(bytes []int64) bool {
	n := len(bytes)
	if n < 12 {
		return false
	}
	part := func(from, to int) float64 { return float64(bytes[to-1]-bytes[from-1]) / float64(to-from) }
	a, b, c := part(n/4, n/2), part(n/2, 3*n/4), part(3*n/4, n)
	low, high := min(a, b, c), max(a, b, c)
	return low > 0 && high < 1.05*low
}

// Bounds of the ladder. Above a gigabit a second few hosts can time their
// packets, and below a tenth of a megabit a rung holds no packets to count.
const (
	ladderFloor = 200_000
	ladderTop   = 1_000_000_000
	// rungPackets bounds what one rung sends: enough to tell a loss of a
	// thousandth over the ladder, and a fast path is full for a moment only.
	rungPackets = 6000
	// leastPackets are worth counting.
	leastPackets = 30
)

// rates of the ladder, from a rate that one TCP stream is known to carry:
// first within it, to see loss that does not answer to the rate, then above
// it by steps until the path is full. Each costs round trips of its own, so a
// long path gets fewer.
func (p plan) rates(single float64) []int64 {
	factors := []float64{0.6, 1.5, 2.4, 6, 20, 60, 180, 500}
	switch {
	case p.rtt > 200*time.Millisecond:
		factors = coarse
	case p.quick || p.rtt > 60*time.Millisecond:
		factors = []float64{0.6, 1.6, 4, 16, 80, 400}
	}
	return ladder(single, factors)
}

// coarse is the ladder with the fewest rungs.
var coarse = []float64{0.6, 1.6, 10, 80}

// ladder is the rates at some factors of what one stream carries.
func ladder(single float64, factors []float64) []int64 {
	var out []int64
	for _, factor := range factors {
		rate := int64(min(max(single*factor, ladderFloor), ladderTop))
		if n := len(out); n > 0 && rate <= out[n-1] {
			continue
		}
		out = append(out, rate)
	}
	return out
}

// apart splits a ladder into the rungs up to a rate, and the faster ones.
func apart(slots []iperf3.Slot, most float64) (gentle, fast []iperf3.Slot) {
	n := slices.IndexFunc(slots, func(s iperf3.Slot) bool { return float64(s.Rate) > most })
	if n < 0 {
		return slots, nil
	}
	return slots[:n], slots[n:]
}

// outcome of one rung, as far as it was seen when the next must be chosen.
type outcome struct {
	loss, baseline float64       // ratios: the rung's, and the gentlest rung's
	rise           time.Duration // of the delay over the idle path's
	piled          bool          // it came clearly slower than it was sent: a queue took in the rest
}

// fills says that a stream has filled the path: its rate has settled and its
// packets wait in a queue, the echoes' median beside it standing above the
// idle one by more than noise. No other traffic would carry more.
func fills(idle, loaded []float64, first, second float64) bool {
	if len(idle) < 5 || len(loaded) < 10 || first <= 0 || second < 0.9*first || second > 1.1*first {
		return false
	}
	low, high := stats.Median(idle), stats.Median(loaded)
	noise := 1.253 * math.Hypot(stats.SD(idle)/math.Sqrt(float64(len(idle))), stats.SD(loaded)/math.Sqrt(float64(len(loaded))))
	return high-low > max(0.1*low, 4*noise, 0.002)
}

// full says that a rung offered clearly more than the path carries, so that a
// faster one would only repeat it.
func (o outcome) full() bool {
	return o.loss > o.baseline+0.2 || o.rise > 150*time.Millisecond || o.piled
}

// piledShare of what is sent comes in time where nothing but jitter delays it.
const piledShare = 0.75
