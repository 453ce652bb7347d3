package view

import (
	"math"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// SinksBy counts the losses of a loss-based sender while its queue was far from full,
// and gives the rate in bit/s that losses as rare leave it in the long run (CUBIC's
// mean window, RFC 9438 §5.1); 0, 0 where that is not clearly less than the path's.
func (v *View) SinksBy() (n int, lasting float64) {
	n, known := v.lostOffQueue()
	if !known || n == 0 || !congestion.LossBased(v.CC) || v.Losses.Segments <= 0 {
		return 0, 0
	}
	lasting = theory.CubicRate(v.Idle.Mid, float64(n)/float64(v.Losses.Segments), v.MSS)
	if lasting >= sinksTo*v.Capacity {
		return 0, 0
	}
	return n, lasting
}

// MightSink counts a loss-based sender's losses beside a queue that was far from full,
// those of slow start among them, where more of them would leave it clearly less than
// the path has and as many more are no wonder (95 %). 0 where they would not, and for
// one loss alone.
func (v *View) MightSink() int {
	late, known := v.lostOffQueue()
	early, _ := v.offQueue(0, seen.SteadyFrom*v.One.Duration, nearlyEmpty)
	n := late + early
	if !known || n < 2 || !congestion.LossBased(v.CC) || v.Losses.Segments <= 0 {
		return 0
	}
	lost := seen.Proportion{K: int64(n), N: v.Losses.Segments}
	if theory.CubicRate(v.Idle.Mid, lost.High(), v.MSS) > SlowShare*v.Capacity {
		return 0
	}
	return n
}

// lostOffQueue counts the times at which the one stream lost packets after slow
// start although the queue was not nearly full.
func (v *View) lostOffQueue() (n int, known bool) {
	return v.offQueue(seen.SteadyFrom*v.One.Duration, math.Inf(1), nearlyFull)
}

// offQueue counts the times of a span, in seconds since the one stream began, at which
// it lost packets although the queue was filled to less than a share: no echo probe
// that left with them waited for long. Losses within a round trip are one time. Known
// where the queue is so long, and the delay so constant, that probes show how full it
// is.
func (v *View) offQueue(since, until, filled float64) (n int, known bool) {
	e, full := v.Run.Echo(v.One.Name), v.Longest()
	if e == nil || full-v.Idle.Mid < probesApart || v.Idle.Dev > JitterOfRTT*v.Idle.Mid {
		return 0, false
	}
	high := v.Idle.Mid + filled*(full-v.Idle.Mid)
	shift := v.One.Started - e.Started
	for _, at := range v.lossTimes() {
		if at < since || at >= until || v.outIn(at-2*v.Idle.Mid, at) {
			continue
		}
		now := seen.RTTBy(e, at+shift)
		from, to := at-1.25*now, at-0.75*now // the sender learns of a loss a round trip later
		if v.Dir == record.Down {
			from, to = at-now, at // the receiver at once
		}
		left := seen.RTTs(e, from+shift-sampleApart, to+shift)
		if len(left) >= 2 && slices.Max(left) < high {
			n++
		}
	}
	return n, true
}

// nearlyEmpty is the share to which slow start may have filled the queue where its
// losses count: it fills the rest between two probes.
const nearlyEmpty = 0.2

// Longest is the RTT with the queue full: while the path was overloaded, or where it
// never was, the longest beside the stream, whose slow start fills a queue.
func (v *View) Longest() float64 {
	if full := v.FullQueue(); full > 0 {
		return full
	}
	return v.Idle.Mid + v.Waited()
}

const (
	// probesApart is the distance of two echo probes and that of two samples, in
	// seconds: a queue that drains within it may have been full in between.
	probesApart = 0.04
	sampleApart = 0.03
)

// LossEvents counts the times at which the one stream lost packets after slow start.
func (v *View) LossEvents() (n int) {
	for _, at := range v.lossTimes() {
		if at >= seen.SteadyFrom*v.One.Duration {
			n++
		}
	}
	return n
}

// lossTimes are when this host's kernel learned of losses of the one stream, in
// seconds since it began: a sender by what it resends, a receiver by what comes
// out of order. What follows within a round trip is of the same loss.
func (v *View) lossTimes() []float64 {
	s, sends := flow.Seen(v.One.Series, true)
	if !sends {
		s, _ = flow.Seen(v.One.Series, false)
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
		again = at + 1.2*v.Loaded.Mid + sampleApart
	}
	return out
}
