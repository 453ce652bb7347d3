package seen

import (
	"math"
	"slices"

	"unchoke/internal/record"
)

// Outage is a time in which nothing came through: every echo probe was lost.
type Outage struct {
	At, Duration float64 // seconds, since the run began
}

// Outages are the times in which the path carried nothing, small packets no more
// than large ones, as the echo probes tell that ran beside the TCP streams and
// before them.
type Outages struct {
	All     []Outage // of every series of probes
	watched float64  // seconds for which probes were sent
}

// Share of the time in which nothing came through.
func (o Outages) Share() float64 {
	sum := 0.0
	for _, x := range o.All {
		sum += x.Duration
	}
	return sum / max(o.watched, 1)
}

// Often is how many a second there were.
func (o Outages) Often() float64 { return float64(len(o.All)) / max(o.watched, 1) }

// AtOftenest is the share of the time in which nothing comes through, if outages come as
// soon one after the other as two of them did: others may have fallen into a time that
// nobody watched. Zero for fewer than two.
func (o Outages) AtOftenest() float64 {
	sum, least := 0.0, math.Inf(1)
	for i, x := range o.All {
		sum += x.Duration
		if i > 0 {
			least = min(least, x.At-o.All[i-1].At)
		}
	}
	return sum / float64(max(len(o.All), 1)) / least
}

// Cut says that an outage fell into a transfer: its rate is not that of a path without
// one.
func (o Outages) Cut(t *record.Transfer) bool {
	return slices.ContainsFunc(o.All, func(x Outage) bool {
		return x.At < t.Started+t.Duration && x.At+x.Duration > t.Started
	})
}

// OutagesOf reads the series of echo probes one after the other: an outage may begin in
// one and end in the next. Where a stream ran on meanwhile (a host that answers so many
// probes a second), their silence says nothing: a stream's acknowledgements need the
// other way.
func OutagesOf(r *record.Run, rtt float64) Outages {
	var o Outages
	var quiet silence
	for i := range r.Echoes {
		if e := &r.Echoes[i]; len(e.Probes) > 0 && tells(r, e, rtt) {
			o.watched += e.Probes[len(e.Probes)-1].At - e.Probes[0].At
			o.All = append(o.All, quiet.listen(e, rtt)...)
		}
	}
	for _, t := range slices.Concat(r.Transfers, r.Cubic) {
		for _, x := range o.All {
			if t.Protocol == record.TCP && passed(&t, x, rtt) {
				return Outages{}
			}
		}
	}
	return o
}

// tells says that the silences of a series mean something: most of its other probes were
// answered. Beside a flood of UDP probes are lost to the flood, unless all of that is lost
// as well.
func tells(r *record.Run, e *record.Echo, rtt float64) bool {
	for i := range r.Transfers {
		if t := &r.Transfers[i]; t.Name == e.Name && t.Protocol == record.UDP {
			return len(Answered(e)) == 0 && t.UDP != nil && t.UDP.Delivered == 0
		}
	}
	lost, came, row := 0, 0, 0
	for _, p := range e.Probes {
		if p.RTT == 0 {
			if mayBeAnswered(e, p, rtt) {
				row++
			}
			continue
		}
		if row < leastSilent {
			lost += row
		}
		row, came = 0, came+1
	}
	if row < leastSilent {
		lost += row
	}
	return float64(came) >= answeredShare*float64(came+lost)
}

// mayBeAnswered says that a probe was sent early enough for its answer to be in the series.
func mayBeAnswered(e *record.Echo, p record.Probe, rtt float64) bool {
	return p.At < e.Probes[len(e.Probes)-1].At-2*rtt
}

// silence is the time since the last answer, in seconds since the run began.
type silence struct {
	first, last float64 // probe without an answer
	probes      int
	before      float64 // RTT of the slowest probe before it, of which less counts with time
}

// listen lists the outages that end in a series. A silence no longer than two round trips
// of before it may be a queue that overflowed.
func (s *silence) listen(e *record.Echo, rtt float64) (all []Outage) {
	for _, p := range e.Probes {
		at := e.Started + p.At
		if p.RTT == 0 {
			if !mayBeAnswered(e, p, rtt) {
				continue
			}
			if s.probes == 0 {
				s.first = at
			}
			s.last = at
			s.probes++
			continue
		}
		if length := min(at, s.last+unwatched) - s.first; s.probes >= leastSilent && length >= max(leastOutage, 2*s.before) {
			all = append(all, Outage{s.first, length})
		}
		s.probes, s.before = 0, max(s.before*beforeFades, p.RTT)
	}
	return all
}

const (
	// unwatched seconds at most between the last probe without an answer and the first
	// with one belong to the outage.
	unwatched = 0.25
	// leastSilent probes in a row are more than chance: half of all are lost
	// nowhere that a stream runs.
	leastSilent = 10
	// beforeFades by so much a probe, so that a queue of a second ago counts half
	// at fifty probes a second.
	beforeFades = 0.986
)

// passed says that streams delivered while the echoes got no answer, for half of that time
// at the least where they ended before it did: there was no outage.
func passed(t *record.Transfer, o Outage, rtt float64) bool {
	from, end := o.At-t.Started+rtt+0.1, o.At+o.Duration-t.Started
	to := min(end, t.Duration)
	begun, bytes, span, start := false, int64(0), 0.0, 0.0
	for _, i := range t.Intervals {
		switch {
		case start < from:
			begun = begun || i.Bytes > 0
		case i.At <= to:
			bytes, span = bytes+i.Bytes, span+i.At-start
		}
		start = i.At
	}
	return begun && to-from > leastOutage/2 && to-from >= (end-from)/2 && float64(8*bytes) > passedShare*t.SteadyRate*span
}

// passedShare of the stream's rate is more than what was under way.
const passedShare = 0.25

// FellSilent says that a series of echo probes has a time without any answer.
func FellSilent(e *record.Echo) bool {
	if e == nil {
		return false
	}
	row := 0
	for _, p := range e.Probes {
		if row++; p.RTT > 0 {
			row = 0
		}
		if row >= leastSilent {
			return true
		}
	}
	return false
}
