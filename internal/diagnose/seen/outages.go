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

// OutagesOf reads the series of echo probes. Beside a flood of UDP probes are
// lost to the flood. Where most are never answered, or a stream ran on meanwhile
// (a host that answers so many a second), their silence says nothing: a stream's
// acknowledgements need the other way.
func OutagesOf(r *record.Run, rtt float64) Outages {
	udp := map[string]bool{}
	for _, t := range r.Transfers {
		udp[t.Name] = t.Protocol == record.UDP
	}
	var o Outages
	for i := range r.Echoes {
		e := &r.Echoes[i]
		if udp[e.Name] || len(e.Probes) == 0 {
			continue
		}
		if here, answered := silences(e, rtt); answered >= answeredShare {
			o.All = append(o.All, here...)
			o.watched += e.Probes[len(e.Probes)-1].At - e.Probes[0].At
		}
	}
	for i := range r.Transfers {
		for _, x := range o.All {
			if t := &r.Transfers[i]; t.Protocol == record.TCP && passed(t, x, rtt) {
				return Outages{}
			}
		}
	}
	return o
}

// silences lists the times of a series in which no probe was answered, and the
// share of the others that were. The last probes may have had no time for an
// answer. A silence no longer than two round trips of before it may be a queue
// that overflowed.
func silences(e *record.Echo, rtt float64) (all []Outage, answered float64) {
	end := e.Probes[len(e.Probes)-1].At - 2*rtt
	first, others, came := -1, 0, 0 // first of those lost in a row
	least, before := leastOutage, 0.0
	for i, p := range e.Probes {
		if p.RTT == 0 && p.At < end {
			if first < 0 {
				first, least = i, math.Max(leastOutage, 2*before)
			}
			continue
		}
		if n := i - first; first >= 0 {
			from := e.Probes[first].At
			if n >= leastSilent && p.At-from >= least {
				all = append(all, Outage{e.Started + from, p.At - from})
			} else {
				others += n
			}
			first, before = -1, 0
		}
		if p.At >= end {
			break
		}
		others, came = others+1, came+1
		before = max(before*beforeFades, p.RTT)
	}
	if others == 0 {
		return all, 0
	}
	return all, float64(came) / float64(others)
}

const (
	// leastSilent probes in a row are more than chance: half of all are lost
	// nowhere that a stream runs.
	leastSilent = 10
	// beforeFades by so much a probe, so that a queue of a second ago counts half
	// at fifty probes a second.
	beforeFades = 0.986
)

// passed says that streams delivered while the echoes got no answer: there was no
// outage.
func passed(t *record.Transfer, o Outage, rtt float64) bool {
	from, to := o.At-t.Started+rtt+0.1, o.At+o.Duration-t.Started
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
	return begun && to-from > leastOutage/2 && to <= t.Duration && float64(8*bytes) > passedShare*t.SteadyRate*span
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
