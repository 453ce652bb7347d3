package closely

import (
	"math"
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Figures are what only looks many times a second tell. Times are in seconds,
// rates in bit/s, shares of 1.
type Figures struct {
	// Shut is the share of the looks at which there was data for the peer and its
	// window held less than two segments, and Shuts how often it came to that. Of
	// a receiver it is the window that it offers.
	Shut  float64
	Shuts int
	// Unread is the share of the looks at which a receiver's program had left more
	// unread than the window that it could still offer.
	Unread float64

	// Typical is the median rate of a slot, and Step the median change from one
	// slot to the next over Typical: what holds a rate now and another later has a
	// small one, whatever its variation. A slot is half a second, or four round
	// trips. Both are 0 where there are fewer than leastSlots.
	Typical float64
	Step    float64
	// Steady is true where Step is of use.
	Steady bool

	Losses Losses
}

// Losses are the occasions on which a sender lost something. What it resends
// within two round trips is one occasion.
type Losses struct {
	N int
	// Flight is the mean of the most that was under way before a loss, in segments,
	// and FlightCV its coefficient of variation: near 0 where what fits is what
	// decides, a fifth to a third where chance does (lab, draw 20261128).
	Flight, FlightCV float64
	// RTT is the median of the round trip just before a loss.
	RTT float64
}

const (
	slot       = 0.5 // s
	slotTrips  = 4   // round trips, where that is longer
	leastSlots = 8

	sameOccasion  = 2    // round trips
	leastOccasion = 0.03 // s: three looks
	lookedBack    = 1.5  // round trips: what was under way when the lost one left
)

// Of reads the connection's series.
func Of(r *record.Run) *Figures {
	s, _ := series(r)
	f := &Figures{}
	if len(s.Samples) < 2 {
		return f
	}
	f.windows(s)
	rtt := flow.SpreadOf(flow.RTTs(s, flow.All)).Mid
	f.rates(s.Samples, rtt)
	if s.Sender {
		f.Losses = lossesOf(s.Samples, rtt)
	}
	return f
}

// windows counts the looks at which the window was shut.
func (f *Figures) windows(s record.Series) {
	was, shut, unread := false, 0, 0
	for _, x := range s.Samples {
		is := shutFor(s.Sender, x)
		if is {
			shut++
		}
		if is && !was {
			f.Shuts++
		}
		was = is
		if m := x.Memory; m != nil && !s.Sender && m.Unread > 0 && x.Info.RcvWnd > 0 && m.Unread >= x.Info.RcvWnd {
			unread++
		}
	}
	n := float64(len(s.Samples))
	f.Shut, f.Unread = float64(shut)/n, float64(unread)/n
}

// shutFor says that the receiver's window holds less than two segments. 0 is what
// a kernel without the field tells as well, so that a receiver's must have
// something unread.
func shutFor(sender bool, x record.Sample) bool {
	i := &x.Info
	if sender {
		return i.SndMSS > 0 && i.SndWnd < 2*i.SndMSS && (i.Unacked > 0 || i.NotsentBytes > 0) && i.Has(tcpinfo.FieldSndWnd)
	}
	return i.RcvMSS > 0 && i.RcvWnd < 2*i.RcvMSS && x.Memory != nil && x.Memory.Unread > 2*i.RcvMSS && i.Has(tcpinfo.FieldRcvWnd)
}

// rates cuts the time into slots.
func (f *Figures) rates(all []record.Sample, rtt float64) {
	length := all[len(all)-1].At - all[0].At
	n := int(length / max(slot, slotTrips*rtt))
	if n < leastSlots {
		return
	}
	var rates []float64
	before, k := 0.0, 0
	for i := range n {
		end := all[0].At + length*float64(i+1)/float64(n)
		for k+1 < len(all) && all[k+1].At <= end {
			k++
		}
		now := float64(all[k].Bytes)
		rates = append(rates, (now-before)*8*float64(n)/length)
		before = now
	}
	var changes []float64
	for i := range rates[1:] {
		changes = append(changes, math.Abs(rates[i+1]-rates[i]))
	}
	if f.Typical = median(rates); f.Typical > 0 {
		f.Step, f.Steady = median(changes)/f.Typical, true
	}
}

// lossesOf puts together what was resent, an occasion each.
func lossesOf(all []record.Sample, rtt float64) Losses {
	var flights, trips []float64
	last := math.Inf(-1)
	for k := 1; k < len(all); k++ {
		if all[k].Info.TotalRetrans == all[k-1].Info.TotalRetrans {
			continue
		}
		at := all[k].At
		again := at-last < max(sameOccasion*all[k].Info.RTT.Seconds(), leastOccasion)
		if last = at; again {
			continue
		}
		most := uint32(0)
		for j := k - 1; j >= 0 && all[j].At >= at-lookedBack*rtt-leastOccasion/2; j-- {
			most = max(most, all[j].Info.Unacked)
		}
		flights, trips = append(flights, float64(most)), append(trips, all[k-1].Info.RTT.Seconds())
	}
	out := Losses{N: len(flights)}
	if out.N == 0 {
		return out
	}
	out.RTT = median(trips)
	out.Flight, out.FlightCV = spread(flights)
	return out
}

// spread is the mean and the coefficient of variation.
func spread(all []float64) (mean, cv float64) {
	for _, x := range all {
		mean += x / float64(len(all))
	}
	if mean == 0 {
		return 0, 0
	}
	for _, x := range all {
		cv += (x - mean) * (x - mean) / float64(len(all))
	}
	return mean, math.Sqrt(cv) / mean
}

func median(all []float64) float64 {
	all = slices.Clone(all)
	slices.Sort(all)
	n := len(all)
	return (all[n/2] + all[(n-1)/2]) / 2
}
