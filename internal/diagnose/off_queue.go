package diagnose

import (
	"fmt"
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// sinking: the stream lost packets while the queue that it fills was far from full.
// That is loss of the path's own, in single packets or in bursts. A stream lives on
// a long queue for the seconds of a test; what it carries in the long run follows
// from how rare such losses are. It is asked where nothing else was found.
func sinking(v *view) *finding.Finding {
	if v.reordered() || v.rate <= 0 {
		return nil
	}
	if _, busy := v.others(); busy {
		return nil // others may fill the queue for a moment
	}
	n, lasting := v.sinksBy()
	if float64(n) < leastOffQueue {
		return nil
	}
	p := float64(n) / float64(v.losses.Segments)
	f := v.ofLoss(p, sinkingSure)
	f.Severity = 1 - lasting/v.capacity
	f.Summary = fmt.Sprintf("The path lost packets %s while its queue was far from full, once in %d packets. For these seconds one stream lives on the queue and carries %s of %s; %s takes each such loss for congestion, and in the long run about %s is left.",
		times(n), v.losses.Segments/int64(n), rate(v.rate), rate(v.capacity), v.ccName(), rate(lasting))
	f.Evidence = append([]finding.Evidence{
		{What: "losses while the queue was far from full", Value: float64(n), Unit: finding.Count},
		{What: "RTT with the queue full", Value: v.longest(), Unit: finding.Seconds},
	}, f.Evidence...)
	return f
}

// sinksBy counts the losses of a loss-based sender while its queue was far from full,
// and gives the rate in bit/s that losses as rare leave it in the long run (CUBIC's
// mean window, RFC 9438 §5.1); 0, 0 where that is not clearly less than the path's.
func (v *view) sinksBy() (n int, lasting float64) {
	n, known := v.lostOffQueue()
	if !known || n == 0 || !lossBased[v.cc] || v.losses.Segments <= 0 {
		return 0, 0
	}
	lasting = theory.CubicRate(v.idle.Mid, float64(n)/float64(v.losses.Segments), v.mss)
	if lasting >= sinksTo*v.capacity {
		return 0, 0
	}
	return n, lasting
}

// sinkingSure: 3 of 3 such verdicts were right; a small count, shrunk.
const sinkingSure = 0.8

// mightSink counts a loss-based sender's losses beside a queue that was far from full,
// those of slow start among them, where more of them would leave it clearly less than
// the path has and as many more are no wonder (95 %). 0 where they would not, and for
// one loss alone.
func (v *view) mightSink() int {
	late, known := v.lostOffQueue()
	early, _ := v.offQueue(0, steadyFrom*v.one.Duration, nearlyEmpty)
	n := late + early
	if !known || n < 2 || !lossBased[v.cc] || v.losses.Segments <= 0 {
		return 0
	}
	lost := proportion{k: int64(n), n: v.losses.Segments}
	if theory.CubicRate(v.idle.Mid, lost.high(), v.mss) > slowShare*v.capacity {
		return 0
	}
	return n
}

// lostOffQueue counts the times at which the one stream lost packets after slow
// start although the queue was not nearly full.
func (v *view) lostOffQueue() (n int, known bool) {
	return v.offQueue(steadyFrom*v.one.Duration, math.Inf(1), nearlyFull)
}

// offQueue counts the times of a span, in seconds since the one stream began, at which
// it lost packets although the queue was filled to less than a share: no echo probe
// that left with them waited for long. Losses within a round trip are one time. Known
// where the queue is so long, and the delay so constant, that probes show how full it
// is.
func (v *view) offQueue(since, until, filled float64) (n int, known bool) {
	e, full := v.run.Echo(v.one.Name), v.longest()
	if e == nil || full-v.idle.Mid < probesApart || v.idle.Dev > jitterOfRTT*v.idle.Mid {
		return 0, false
	}
	high := v.idle.Mid + filled*(full-v.idle.Mid)
	shift := v.one.Started - e.Started
	for _, at := range v.lossTimes() {
		if at < since || at >= until || v.outIn(at-2*v.idle.Mid, at) {
			continue
		}
		now := rttBy(e, at+shift)
		from, to := at-1.25*now, at-0.75*now // the sender learns of a loss a round trip later
		if v.dir == record.Down {
			from, to = at-now, at // the receiver at once
		}
		left := rtts(e, from+shift-sampleApart, to+shift)
		if len(left) >= 2 && slices.Max(left) < high {
			n++
		}
	}
	return n, true
}

// nearlyEmpty is the share to which slow start may have filled the queue where its
// losses count: it fills the rest between two probes.
const nearlyEmpty = 0.2

// longest is the RTT with the queue full: while the path was overloaded, or where it
// never was, the longest beside the stream, whose slow start fills a queue.
func (v *view) longest() float64 {
	if full := v.fullQueue(); full > 0 {
		return full
	}
	return v.idle.Mid + v.waited()
}

const (
	// probesApart is the distance of two echo probes and that of two samples, in
	// seconds: a queue that drains within it may have been full in between.
	probesApart = 0.04
	sampleApart = 0.03
)

// lossTimes are when this host's kernel learned of losses of the one stream, in
// seconds since it began: a sender by what it resends, a receiver by what comes
// out of order. What follows within a round trip is of the same loss.
func (v *view) lossTimes() []float64 {
	s, sends := flow.Seen(v.one.Series, true)
	if !sends {
		s, _ = flow.Seen(v.one.Series, false)
	}
	count := func(x record.Sample) uint32 {
		if sends {
			return x.Info.TotalRetrans
		}
		return x.Info.RcvOOOPack
	}
	var out []float64
	again := 0.0
	for i := 1; i < len(s.Samples); i++ {
		at := s.Samples[i].At
		if count(s.Samples[i]) <= count(s.Samples[i-1]) {
			continue
		}
		if at > again {
			out = append(out, at)
		}
		again = at + 1.2*v.loaded.Mid + sampleApart
	}
	return out
}

// rttBy is the RTT of the last echo probe that had come back by a time of its
// series; 0 where none had.
func rttBy(e *record.Echo, at float64) float64 {
	last := 0.0
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At+p.RTT <= at {
			last = p.RTT
		}
	}
	return last
}
