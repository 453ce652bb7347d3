package lately

import (
	"math"
)

// summary is what is made of all marks: once for each new one.
type summary struct {
	sent, received float64 // mean rates in bit/s
	peak           float64 // the busier direction's highest rate between two marks, in bit/s
	variation      float64 // the coefficient of variation of that direction's rate
	level          float64 // the share of spaces between marks in which its rate was that of the space before
	growth         float64 // its mean over the last third against the third before, less 1
	rtt            uint32  // µs: the median
}

// summary leaves a connection's beginning out of the rates where it is known, a
// dozen round trips and at least a second, as long as enough is left: slow start
// says little of what follows.
func (m *marks) summary() summary {
	all := m.at[:m.n]
	s := summary{rtt: medianRTT(all)}
	if m.begun && len(all) > 2 {
		all = all[1:]
		from := m.at[0].at + slowStarts*s.rtt/1000
		for len(all) > leastSpaces+1 && all[0].at < from {
			all = all[1:]
		}
	}
	first, last := &all[0], &all[len(all)-1]
	time := float64(last.at - first.at)
	if time == 0 {
		return s
	}
	const rate = 8 * 1000 // bytes a millisecond in bit/s
	sent, received := last.acked-first.acked, last.received-first.received
	s.sent, s.received = rate*float64(sent)/time, rate*float64(received)/time
	bytes := func(c *counters) float64 { return float64(c.acked - first.acked) }
	if received > sent {
		bytes = func(c *counters) float64 { return float64(c.received - first.received) }
	}
	mean := bytes(last) / time
	var variance, previous float64
	same := 0
	for k := range all[1:] {
		space := float64(all[k+1].at - all[k].at)
		if space == 0 {
			continue
		}
		r := (bytes(&all[k+1]) - bytes(&all[k])) / space
		s.peak = max(s.peak, rate*r)
		if k > 0 && math.Abs(r-previous) <= sameRate*mean {
			same++
		}
		previous = r
		variance += (r - mean) * (r - mean) * space / time
	}
	if mean == 0 || len(all) <= leastSpaces {
		return s
	}
	s.variation = math.Sqrt(variance) / mean
	s.level = float64(same) / float64(len(all)-2)
	by := func(share float64) float64 { return interpolate(all, first.at+uint32(share*time), bytes) }
	if before := by(2./3) - by(1./3); before > 0 {
		s.growth = (bytes(last)-by(2./3))/before - 1
	}
	return s
}

// slowStarts is how many round trips slow start takes from ten segments to forty
// thousand, more than the longest path's bandwidth-delay product at 1 Gbit/s.
const slowStarts = 12

// sameRate is how much of its mean a rate may change by and count as the same: a
// link's does by 0.005 at most from second to second, what other traffic shares
// by 0.04 and more (lab: rate steps and cross traffic of draw 20261128).
const sameRate = 0.02

// leastSpaces between marks are needed to say how a rate varies.
const leastSpaces = 3

// interpolate is a count at a time between two marks.
func interpolate(all []counters, at uint32, bytes func(*counters) float64) float64 {
	for k := 1; k < len(all); k++ {
		a, b := &all[k-1], &all[k]
		if at-a.at <= b.at-a.at && b.at != a.at {
			return bytes(a) + (bytes(b)-bytes(a))*float64(at-a.at)/float64(b.at-a.at)
		}
	}
	return bytes(&all[len(all)-1])
}

func medianRTT(all []counters) uint32 {
	var buffer [len(marks{}.at)]uint32
	out := buffer[:0]
	for k := range all {
		rtt := all[k].rtt
		if rtt == 0 {
			continue
		}
		out = append(out, rtt)
		i := len(out) - 1 // where it belongs among those before
		for ; i > 0 && out[i-1] > rtt; i-- {
			out[i] = out[i-1]
		}
		out[i] = rtt
	}
	if len(out) == 0 {
		return 0
	}
	return out[len(out)/2]/2 + out[(len(out)-1)/2]/2
}
