package fetched

import (
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// view is what a record says of a download, in the terms in which rules think.
// Times are in seconds, rates are goodput in bit/s.
type view struct {
	run   *record.Run
	fetch *record.Fetch

	one, many, plain *record.Transfer // plain is one connection of HTTP/1.1 beside one of HTTP/2
	stream           record.FetchStream
	seen             arrivals // of the one

	idle, loaded flow.Spread // RTT of probes, without load and beside the one, once it is steady
	ending       flow.Spread // in its last quarter
	busier       flow.Spread // beside the several
	rtt          float64     // idle, of probes or else of the connection
	rate         float64     // steady
	capacity     float64     // the most that was seen
	cv           float64     // of the steady rate, over slices
	grown        float64     // what the last fifth carries over the middle one
	mss          float64

	holes []span  // that a loss left
	stray float64 // segments out of order otherwise
	loss  float64 // holes a segment
	// lossMany is the same of the several connections together, and unqueued is how
	// many of their holes opened while no queue stood.
	lossMany float64
	unqueued int
}

func newView(r *record.Run) *view {
	v := &view{run: r, fetch: r.Fetch}
	for i := range r.Transfers {
		t := &r.Transfers[i]
		switch {
		case t.Name == "down-1":
			v.one = t
		case t.Name == "down-1-http1":
			v.plain = t
		case t.Streams > 1:
			v.many = t
		}
	}
	if v.one == nil || len(v.one.Series) == 0 {
		return nil
	}
	if s := r.Fetch.StreamsOf(v.one.Name); len(s) > 0 {
		v.stream = s[0]
	}
	v.seen = arrivalsOf(v.one.Series[0])
	v.mss = v.seen.segmentSize()
	v.roundTrips()
	v.rates()
	v.gaps()
	return v
}

// rates reads how fast the body came, and how evenly.
func (v *view) rates() {
	v.rate = v.between(0.5, 1)
	if third, last := v.between(0.5, 0.75), v.between(0.75, 1); third > 0 && last > 1.1*third {
		v.rate = last
	}
	v.capacity = v.rate
	for _, t := range []*record.Transfer{v.many, v.plain} {
		if t != nil {
			v.capacity = max(v.capacity, t.SteadyRate)
		}
	}
	n := v.slices()
	var part []float64
	for i := range n {
		from := 0.5 + 0.5*float64(i)/float64(n)
		part = append(part, v.between(from, from+0.5/float64(n)))
	}
	if mean := stats.Mean(part); mean > 0 {
		v.cv = stats.SD(part) / mean
	}
	if middle := v.between(0.4, 0.6); middle > 0 {
		v.grown = v.between(0.8, 1) / middle
	}
}

// slices is into how many parts the later half of the body is cut to see how even
// its rate is: parts of some round trips, since a window comes in a burst each.
func (v *view) slices() int {
	n := mostSlices
	if trip := max(v.rtt, v.loaded.Mid); trip > 0 {
		n = int(v.lasted() / 2 / (sliceTrips * trip))
	}
	return min(max(n, leastSlices), mostSlices)
}

// between is the rate between two shares of the time in which the body came.
func (v *view) between(from, to float64) float64 {
	began, ended := v.stream.Body, v.stream.Ended
	if ended <= began {
		began, ended = 0, v.one.Duration
	}
	at := func(share float64) float64 { return began + share*(ended-began) }
	return flow.Rate(v.one.Series, flow.Span{From: at(from), To: at(to)})
}

// lasted is for how long the body came.
func (v *view) lasted() float64 { return max(v.stream.Ended-v.stream.Body, 0) }

func (v *view) roundTrips() {
	v.idle = flow.SpreadOf(rtts(v.run.Echo("idle"), 0, 1))
	v.loaded = flow.SpreadOf(rtts(v.run.Echo(v.one.Name), steadyFrom, 1))
	v.ending = flow.SpreadOf(rtts(v.run.Echo(v.one.Name), 0.75, 1)).Or(v.loaded)
	if v.many != nil {
		v.busier = flow.SpreadOf(rtts(v.run.Echo(v.many.Name), 0.5, 1))
	}
	if v.rtt = v.idle.Mid; v.rtt == 0 {
		v.rtt = v.stream.Connect
	}
	if v.fetch.Proxy == "" && v.rtt == 0 {
		v.rtt = flow.MinRTT(v.one.Series)
	}
}

// rtts are those of the probes between two shares of a series' time.
func rtts(e *record.Echo, from, to float64) []float64 {
	if e == nil || len(e.Probes) == 0 {
		return nil
	}
	length := e.Probes[len(e.Probes)-1].At
	var out []float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= from*length && p.At <= to*length {
			out = append(out, p.RTT)
		}
	}
	return out
}

// gaps reads the losses as the receiver sees them.
func (v *view) gaps() {
	least := v.leastHole()
	v.holes = longer(v.seen.holes(), least)
	v.stray = v.seen.straysOutside(v.holes)
	if n := v.seen.total(); n > 0 {
		v.loss = float64(len(v.holes)) / n
	}
	if v.many == nil {
		return
	}
	holes, segments := 0, 0.0
	for _, s := range v.many.Series {
		a := arrivalsOf(s)
		open := longer(a.holes(), least)
		holes += len(open)
		segments += a.total()
		for _, h := range open {
			if v.emptyAt(v.run.Echo(v.many.Name), h.at) {
				v.unqueued++
			}
		}
	}
	v.lossMany = float64(holes) / max(segments, 1)
}

// leastHole is how long a lost packet's hole looks at the least. It is open for a
// round trip, and shows as the whole looks in that.
func (v *view) leastHole() float64 {
	trip := max(v.rtt, looks)
	return min(holeOfRTT*trip, math.Floor(trip/looks+1e-6)*looks-looks/10)
}

// emptyAt says that no queue stood when a hole opened: probes of the round trip
// before found none. A packet that was lost then did not find a queue full.
func (v *view) emptyAt(e *record.Echo, at float64) bool {
	if e == nil || v.idle.N == 0 {
		return false
	}
	near, least := 0, max(littleQueue*v.idle.Mid, littleWait)
	for _, p := range e.Probes {
		if p.RTT <= 0 || p.At < at-v.rtt-2*looks || p.At > at+looks {
			continue
		}
		if near++; p.RTT-v.idle.Mid > least {
			return false
		}
	}
	return near >= 2
}

func longer(all []span, least float64) []span {
	return slices.DeleteFunc(all, func(s span) bool { return s.length < least })
}

// slow says that one connection carries clearly less than the path.
func (v *view) slow() bool { return v.rate < slowShare*v.capacity }

// ratio is what several carry over what one does; 0 where only one ran.
func (v *view) ratio() float64 {
	if v.many == nil || v.rate <= 0 {
		return 0
	}
	return v.many.SteadyRate / v.rate
}

func (v *view) queuedOver(s flow.Spread) bool {
	return s.N > 0 && v.idle.N > 0 && s.Mid-v.idle.Mid > max(queueRise*v.idle.Mid, 4*v.idle.Noise(), leastRise)
}

// queued says that the one connection kept a queue standing.
func (v *view) queued() bool { return v.queuedOver(v.loaded) || v.queuedOver(v.ending) }

// flat says that the rate does not move.
func (v *view) flat() bool { return v.cv < flatCV && v.grown < grows && v.grown > 1/grows }

// underWay is what was under way of the one connection, in bytes.
func (v *view) underWay() float64 {
	rtt := v.loaded.Mid
	if rtt == 0 {
		rtt = v.rtt
	}
	return v.rate / 8 * rtt
}

// expected is what a loss-based sender carries at this loss, by the model.
func (v *view) expected() float64 {
	if v.loss == 0 {
		return 0
	}
	return theory.CubicRate(v.rtt, v.loss, int(v.mss))
}

// severity is the share of what the path carries that one connection leaves.
func (v *view) severity() float64 {
	if v.capacity <= 0 {
		return 0
	}
	return stats.Clamp(1-v.rate/v.capacity, 0, 1)
}

// evidence is what every finding rests on.
func (v *view) evidence() []finding.Evidence {
	e := []finding.Evidence{{What: "one connection carries", Value: v.rate, Unit: finding.BitRate}}
	if v.many != nil {
		e = append(e, finding.Evidence{What: count(v.many.Streams, "connection") + " carry", Value: v.many.SteadyRate, Unit: finding.BitRate})
	}
	if v.plain != nil {
		e = append(e, finding.Evidence{What: "one connection with HTTP/1.1", Value: v.plain.SteadyRate, Unit: finding.BitRate})
	}
	e = append(e, finding.Evidence{What: "RTT idle", Value: v.rtt, Unit: finding.Seconds})
	if v.loaded.N > 0 {
		e = append(e, finding.Evidence{What: "RTT under load", Value: v.loaded.Mid, Unit: finding.Seconds})
	}
	if v.seen.known() {
		e = append(e,
			finding.Evidence{What: "variation of the rate", Value: v.cv, Unit: finding.Ratio},
			finding.Evidence{What: "losses seen (holes open for a round trip)", Value: float64(len(v.holes)), Unit: finding.Count},
			finding.Evidence{What: "segments out of order", Value: v.seen.strays(), Unit: finding.Count})
	}
	return e
}
