// Package packets follows what the headers of a connection's packets say of its data:
// what was sent when, what arrived, what was sent again. It is pure.
package packets

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

const (
	// A train is half of what is on its way, so that it left in one go as far as TCP
	// does that, but so many segments. It is longer where the RTT sways: it takes
	// trainSways of what it sways by.
	leastTrain    = 4
	mostTrain     = 16
	trainSways    = 4
	leastTrains   = 20
	leastArrivals = 50

	fastest   = 0.9   // of the trains are slower than what passes
	leastRank = 0.005 // of the RTTs are below what counts as the least
	swayRank  = 0.75
)

// arrivals are those that a record keeps.
type arrivals struct {
	at, rtt []int64   // microseconds; an RTT of 0 is not known
	sum     []float64 // bytes that have arrived by then
	flight  []int32   // bytes
}

func arrivalsOf(p *record.Packets) arrivals {
	var a arrivals
	at, sum := int64(0), 0.0
	for i := range min(len(p.Gap), len(p.Bytes), len(p.RTT), len(p.Flight)) {
		at += int64(p.Gap[i])
		sum += float64(p.Bytes[i])
		a.at, a.sum = append(a.at, at), append(a.sum, sum)
		a.rtt, a.flight = append(a.rtt, int64(p.RTT[i])), append(a.flight, p.Flight[i])
	}
	return a
}

func seconds(micros int64) float64 { return float64(micros) / 1e6 }

// Figures are what the packets of a record tell, and the occasions of loss of which the
// packet before is known; none where there are few.
func Figures(p *record.Packets) (f live.Packets, lost []Occasion) {
	if p == nil {
		return f, nil
	}
	a := arrivalsOf(p)
	known := a.known()
	if len(known) < leastArrivals {
		return f, nil
	}
	trips := make([]float64, len(known))
	for i, k := range known {
		trips[i] = seconds(a.rtt[k])
	}
	f = live.Packets{Arrivals: len(a.at), Sway: sway(trips), Silent: seconds(int64(slices.Max(p.Gap[1:])))}
	q := stats.Quantiles(trips, leastRank, 0.5)
	f.Least, f.Wait = q[0], q[1]-q[0]
	if length := trainSways * f.Sway; length <= f.Least+f.Wait {
		f.Passes = a.trains(a.train(known, float64(p.SegmentSize)), length)
	}
	f.Foreign = a.foreign(known, f)
	f.Together = a.together(p)
	if f.Occasions, lost = a.losses(p, known); len(lost) > 0 {
		f.Before, f.Waited, f.Filled, f.Burst = Typical(lost)
	}
	return f, lost
}

// known are the arrivals of which the RTT is.
func (a *arrivals) known() []int {
	var out []int
	for k, rtt := range a.rtt {
		if rtt > 0 {
			out = append(out, k)
		}
	}
	return out
}

func sway(trips []float64) float64 {
	all := make([]float64, 0, len(trips))
	for i := range trips[1:] {
		all = append(all, max(trips[i+1]-trips[i], trips[i]-trips[i+1]))
	}
	return stats.Quantile(all, swayRank)
}

// train is the length of a train, in bytes.
func (a *arrivals) train(known []int, segment float64) float64 {
	flights := make([]float64, len(known))
	for i, k := range known {
		flights[i] = float64(a.flight[k])
	}
	return stats.Clamp(stats.Median(flights)/2, leastTrain*segment, mostTrain*segment)
}

// trains is the rate of all runs of arrivals that are as long as a train, in
// bytes and in seconds, which a tenth of them exceeds; 0 where there are too few.
func (a *arrivals) trains(bytes, length float64) float64 {
	var rates []float64
	end := 0
	for k := range a.at {
		for end < len(a.at) && (a.sum[end]-a.sum[k] < bytes || seconds(a.at[end]-a.at[k]) < length) {
			end++
		}
		if end == len(a.at) {
			break
		}
		rates = append(rates, 8*(a.sum[end]-a.sum[k])/seconds(a.at[end]-a.at[k]))
	}
	if len(rates) < leastTrains {
		return 0
	}
	return stats.Quantile(rates, fastest)
}

// foreign is the share of packets that waited for longer than this connection's own
// explain.
func (a *arrivals) foreign(known []int, f live.Packets) float64 {
	if f.Passes == 0 {
		return 0
	}
	n := 0
	for _, k := range known {
		if seconds(a.rtt[k])-f.Least > 8*float64(a.flight[k])/f.Passes+f.Sway {
			n++
		}
	}
	return float64(n) / float64(len(known))
}

// together is the share of the bytes that arrived with at least half of what was on its
// way, and with a train at least.
func (a *arrivals) together(p *record.Packets) float64 {
	sum := 0.0
	for k := range a.at {
		if n := p.Bytes[k]; n >= leastTrain*int32(p.SegmentSize) && 2*n >= a.flight[k] {
			sum += float64(n)
		}
	}
	return sum / max(a.sum[len(a.sum)-1], 1)
}

// leaving is a packet as it left: when, and with how many bytes on their way.
type leaving struct {
	at     int64 // microseconds
	flight int32
}

func (x leaving) compare(y leaving) int {
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.flight, y.flight))
}

func (a *arrivals) left(k int) leaving { return leaving{a.at[k] - a.rtt[k], a.flight[k]} }

// Occasion is one on which a stream lost something.
type Occasion struct {
	At float64 // when it left, in seconds since the stream began
	// Wait is by how much the RTT of the packet before the lost one was above the least,
	// in seconds.
	Wait float64
	// Waited is the share of all packets that waited less than it, Filled the share of
	// those with less on their way than the lost one.
	Waited, Filled float64
	// Burst is the share of all packets just before which less left than before the lost
	// one, for each of several spans: half of the least RTT, half of that, and so on.
	Burst [burstSpans]float64
}

// burstSpans: the shortest is a 64th of the least RTT.
const burstSpans = 6

// losses puts together what was sent again, an occasion what is so within a round
// trip: how many there are, and those of which the packet before is known.
func (a *arrivals) losses(p *record.Packets, known []int) (occasions int, lost []Occasion) {
	var all []leaving
	for i := range min(len(p.LostAt), len(p.LostFlight)) {
		all = append(all, leaving{int64(p.LostAt[i]), p.LostFlight[i]})
	}
	slices.SortFunc(all, leaving.compare)
	left := slices.Clone(known)
	slices.SortFunc(left, func(x, y int) int { return a.left(x).compare(a.left(y)) })
	trips, flights := make([]int64, len(left)), make([]int32, len(left))
	for i, k := range left {
		trips[i], flights[i] = a.rtt[k], a.flight[k]
	}
	bursts := a.bursts(left)
	slices.Sort(trips)
	slices.Sort(flights)
	least, trip := trips[int(leastRank*float64(len(trips)))], trips[len(trips)/2]

	for i, x := range all {
		if i > 0 && x.at-all[i-1].at <= trip {
			continue
		}
		occasions++
		next, _ := slices.BinarySearchFunc(left, x, func(k int, x leaving) int { return a.left(k).compare(x) })
		if next == 0 {
			continue
		}
		rtt := a.rtt[left[next-1]]
		o := Occasion{At: seconds(x.at), Wait: seconds(max(rtt-least, 0)), Waited: rank(trips, rtt), Filled: rank(flights, x.flight)}
		for i, span := 0, least/2; i < burstSpans; i, span = i+1, span/2 {
			o.Burst[i] = bursts.rank(x.at, span)
		}
		lost = append(lost, o)
	}
	return occasions, lost
}

// bursts are the packets that left, in their order.
type bursts struct {
	at     []int64             // microseconds
	sum    []float64           // bytes that had left before each of them, and in all
	sorted map[int64][]float64 // by span: what had left within it before each, in order
}

// bursts are those of arrivals in the order in which they left.
func (a *arrivals) bursts(left []int) bursts {
	b := bursts{sum: []float64{0}, sorted: map[int64][]float64{}}
	for _, k := range left {
		bytes := a.sum[k]
		if k > 0 {
			bytes -= a.sum[k-1]
		}
		b.at, b.sum = append(b.at, a.left(k).at), append(b.sum, b.sum[len(b.sum)-1]+bytes)
	}
	return b
}

// within is how many bytes left in a span that ends at a time, with what left then.
func (b *bursts) within(at, span int64) float64 {
	after := func(t int64) float64 { return b.sum[sort.Search(len(b.at), func(k int) bool { return b.at[k] > t })] }
	return after(at) - after(at-span)
}

// rank is the share of all packets before which less left within a span.
func (b *bursts) rank(at, span int64) float64 {
	if b.sorted[span] == nil {
		all := make([]float64, len(b.at))
		for k, t := range b.at {
			all[k] = b.within(t, span)
		}
		slices.Sort(all)
		b.sorted[span] = all
	}
	return rank(b.sorted[span], b.within(at, span))
}

// Typical are the medians of occasions: the wait before them, in seconds, and the ranks.
// That of bursts is of the span that tells most: how much more than usual left just
// before what was lost.
func Typical(lost []Occasion) (wait, waited, filled, burst float64) {
	median := func(of func(Occasion) float64) float64 {
		all := make([]float64, len(lost))
		for i, x := range lost {
			all[i] = of(x)
		}
		return stats.Median(all)
	}
	for i := range burstSpans {
		burst = max(burst, median(func(x Occasion) float64 { return x.Burst[i] }))
	}
	return median(func(x Occasion) float64 { return x.Wait }),
		median(func(x Occasion) float64 { return x.Waited }),
		median(func(x Occasion) float64 { return x.Filled }), burst
}

// ByChance is what the median of so many ranks hardly exceeds, in one of 160 cases.
func ByChance(occasions int) float64 { return 0.5 + chanceSpan*0.5/math.Sqrt(float64(occasions)) }

const chanceSpan = 2.5 // standard deviations

// rank is the share of values in their order that are less, those that are equal
// counted by half.
func rank[T cmp.Ordered](sorted []T, x T) float64 {
	below, _ := slices.BinarySearch(sorted, x)
	above := sort.Search(len(sorted), func(k int) bool { return sorted[k] > x })
	return float64(below+above) / 2 / float64(len(sorted))
}
