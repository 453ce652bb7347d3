package closely

import (
	"math"
	"sort"

	"unchoke/internal/flow/lately"
	"unchoke/internal/live"
	"unchoke/internal/stats"
	"unchoke/tcpinfo"
)

const (
	slot       = 0.5 // s
	slotTrips  = 4   // round trips, where that is longer
	leastSlots = 8
	slowStarts = 12 // round trips from ten segments to forty thousand, as package lately has it

	sameOccasion  = 2    // round trips
	leastOccasion = 0.03 // s: three looks
	lookedBack    = 1.5  // round trips: what was under way when the lost one left
)

// look is what of one look the figures are made of.
type look struct {
	at        float64 // s
	bytes     uint64  // that moved in the direction that counts
	rtt       float32 // s
	resent    uint32
	unacked   uint32
	flight    uint32 // segments on their way: of those unacked, less what is known to have arrived or to be lost
	window    uint32 // of the peer, in segments
	shut      bool   // the window holds less than two segments
	unread    bool   // a receiver's program left more unread than the window that is left
	slowStart bool   // the first one
	recovers  bool   // something is being resent, or order is in doubt
	dry       bool   // a sender has sent all that its program gave it
}

// lookOf is a look at a sender or at a receiver. unread is what the connection's
// program has left in its receive buffer, in bytes.
func lookOf(sender bool, l lately.Look, unread uint32) look {
	i := l.Info
	x := look{at: l.At.Seconds(), resent: i.TotalRetrans, unacked: i.Unacked, slowStart: i.SndSsthresh >= tcpinfo.InfiniteSsthresh}
	if sender {
		x.bytes, x.rtt = i.BytesAcked, float32(i.RTT.Seconds())
		x.dry = lately.Dry(l)
		x.flight = max(i.Unacked+i.Retrans, i.Sacked+i.Lost) - i.Sacked - i.Lost
		x.recovers = i.CAState != tcpinfo.CAOpen
		if i.SndMSS > 0 {
			x.window = i.SndWnd / i.SndMSS
		}
		x.shut = i.SndMSS > 0 && i.SndWnd < 2*i.SndMSS && (i.Unacked > 0 || i.NotsentBytes > 0) && i.Has(tcpinfo.FieldSndWnd)
		return x
	}
	x.bytes, x.rtt = i.BytesReceived, float32(i.RcvRTT.Seconds())
	// A window of 0 is what a kernel without the field tells as well, so that
	// something must be unread.
	x.shut = i.RcvMSS > 0 && i.RcvWnd < 2*i.RcvMSS && unread > 2*i.RcvMSS && i.Has(tcpinfo.FieldRcvWnd)
	x.unread = x.shut || i.RcvWnd > 0 && unread >= i.RcvWnd
	return x
}

// figures are those of the looks, in their order. Where they begin with a young
// connection, its rates begin after a dozen round trips: slow start says little of
// what follows.
func figures(all []look, sender, young bool) live.Closely {
	var f live.Closely
	if len(all) < 2 {
		return f
	}
	f.Looks = len(all)
	windows(&f, all)
	rtt := medianRTT(all)
	if young {
		rates(&f, since(all, all[0].at+max(1, slowStarts*rtt)), rtt)
	} else {
		rates(&f, all, rtt)
	}
	if sender {
		f.Dips = dips(all)
		f.Losses = lossesOf(all, rtt)
		dries(&f, all)
		if young {
			all = since(all, all[0].at+max(1, slowStarts*rtt))
		}
		f.Queue = queueOf(all, rtt)
	}
	return f
}

// windows counts the looks at which the window was shut.
func windows(f *live.Closely, all []look) {
	was, shut, unread := false, 0, 0
	for _, x := range all {
		if x.shut {
			shut++
		}
		if x.shut && !was {
			f.Shuts++
		}
		was = x.shut
		if x.unread {
			unread++
		}
	}
	n := float64(len(all))
	f.Shut, f.Unread = float64(shut)/n, float64(unread)/n
}

// dips is the share of the looks at which the peer's window lay far below the
// widest so far. Behind a hole what arrives cannot be read, and of a few segments
// one is much: neither counts.
func dips(all []look) float64 {
	widest, n, low := uint32(0), 0, 0
	for i := range all {
		x := &all[i]
		widest = max(widest, x.window)
		if x.recovers || x.flight <= leastFlight {
			continue
		}
		n++
		if 2*(widest-x.window) > x.flight {
			low++
		}
	}
	if n < leastTogether {
		return 0
	}
	return float64(low) / float64(n)
}

// dries counts how often a sender came to have nothing to send. What the program
// had not begun to give at the first look is none.
func dries(f *live.Closely, all []look) {
	first, last := math.NaN(), 0.0
	for k := 1; k < len(all); k++ {
		if !all[k].dry {
			continue
		}
		if !all[k-1].dry {
			f.Dries++
			if f.Dries == 1 {
				first = all[k].at
			}
		}
		last = all[k].at
	}
	if f.Dries > 0 {
		f.DrySpan = last - first
	}
}

// since leaves out the looks before a time, in seconds.
func since(all []look, from float64) []look {
	return all[sort.Search(len(all), func(k int) bool { return all[k].at >= from }):]
}

func medianRTT(all []look) float64 {
	trips := make([]float32, 0, len(all))
	for _, x := range all {
		if x.rtt > 0 {
			trips = append(trips, x.rtt)
		}
	}
	return median(trips)
}

// rates cuts the time into slots.
func rates(f *live.Closely, all []look, rtt float64) {
	if len(all) < 2 {
		return
	}
	length := all[len(all)-1].at - all[0].at
	n := int(length / max(slot, slotTrips*rtt))
	if n < leastSlots {
		return
	}
	var rates []float64
	before, k := all[0].bytes, 0
	for i := range n {
		end := all[0].at + length*float64(i+1)/float64(n)
		for k+1 < len(all) && all[k+1].at <= end {
			k++
		}
		now := all[k].bytes
		rates = append(rates, float64(now-before)*8*float64(n)/length)
		before = now
	}
	var changes []float64
	for i := range rates[1:] {
		changes = append(changes, math.Abs(rates[i+1]-rates[i]))
	}
	if f.Typical = stats.Median(rates); f.Typical > 0 {
		f.Step, f.Steady = stats.Median(changes)/f.Typical, true
	}
}

// lossesOf puts together what was resent, an occasion each. The end of the first
// slow start is none: twice of what fits is under way then.
func lossesOf(all []look, rtt float64) live.Losses {
	var flights, trips []float64
	last := math.Inf(-1)
	for k := 1; k < len(all); k++ {
		if all[k].resent == all[k-1].resent {
			continue
		}
		at := all[k].at
		again := at-last < max(sameOccasion*float64(all[k].rtt), leastOccasion)
		if last = at; again || all[k-1].slowStart {
			continue
		}
		trips = append(trips, float64(all[k-1].rtt))
		most := uint32(0)
		for j := k - 1; j >= 0 && all[j].at >= at-lookedBack*rtt-leastOccasion/2; j-- {
			most = max(most, all[j].unacked)
		}
		if most > 0 {
			flights = append(flights, float64(most))
		}
	}
	out := live.Losses{N: len(trips)}
	if out.N == 0 {
		return out
	}
	out.RTT = stats.Median(trips)
	if 2*len(flights) > out.N { // where round trips are shorter than looks are apart, few are seen
		out.Flight, out.FlightCV = spread(flights)
	}
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
