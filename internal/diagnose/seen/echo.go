package seen

import (
	"math"
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// RTTs lists the round-trip times of the probes sent from a time on and
// before another, both in seconds since the series began. A nil series has
// none.
func RTTs(e *record.Echo, from, to float64) []float64 {
	if e == nil {
		return nil
	}
	var out []float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= from && p.At < to {
			out = append(out, p.RTT)
		}
	}
	return out
}

// AnyAnswered says that an echo probe of the run was answered.
func AnyAnswered(r *record.Run) bool {
	return slices.ContainsFunc(r.Echoes, func(e record.Echo) bool { return Spread(&e).N > 0 })
}

// Spread is the RTT of a whole series of echo probes; that of a nil one has N 0.
func Spread(e *record.Echo) flow.Spread { return flow.SpreadOf(RTTs(e, 0, math.Inf(1))) }

// Beside is the RTT beside a transfer, between two shares of its duration.
func Beside(r *record.Run, t *record.Transfer, from, to float64) flow.Spread {
	return flow.SpreadOf(RTTs(r.Echo(t.Name), from*t.Duration, to*t.Duration))
}

// LeastBeside is the least RTT below which several echo probes in a row came back
// beside our load of either direction; 0 where there were none. Others who send by
// BBR give way together, for a moment in ten seconds.
func LeastBeside(r *record.Run) float64 {
	least := 0.0
	for i := range r.Echoes {
		e := &r.Echoes[i]
		if e.Name == "idle" {
			continue
		}
		all := RTTs(e, 0, math.Inf(1))
		for i := 0; i+inRow <= len(all); i++ {
			if most := slices.Max(all[i : i+inRow]); least == 0 || most < least {
				least = most
			}
		}
	}
	return least
}

// RestAfter lists the round-trip times of the probes between the end of a transfer and the
// next one's begin, both in seconds since the run began.
func RestAfter(r *record.Run, ended float64) []float64 {
	next := math.Inf(1)
	for _, t := range slices.Concat(r.Transfers, r.Cubic) {
		if t.Started >= ended {
			next = min(next, t.Started)
		}
	}
	var out []float64
	for i := range r.Echoes {
		if e := &r.Echoes[i]; e.Started >= ended && e.Started < next {
			out = append(out, RTTs(e, 0, math.Inf(1))...)
		}
	}
	return out
}

// inRow probes are no chance.
const inRow = 4

// Answered lists the probes that were answered; a nil series has none.
func Answered(e *record.Echo) []record.Probe {
	if e == nil {
		return nil
	}
	var out []record.Probe
	for _, p := range e.Probes {
		if p.RTT > 0 {
			out = append(out, p)
		}
	}
	return out
}

// Inverted is the count of one series, probes that were answered alone.
func Inverted(e *record.Echo) (count int, expected float64) {
	all := stats.Sorted(RTTs(e, 0, math.Inf(1)))
	var last record.Probe
	for _, p := range Answered(e) {
		if last.RTT > 0 {
			gap := p.At - last.At
			if p.Order > 0 && p.Order < last.Order || p.Order == 0 && p.RTT < last.RTT-gap-LeastSwaySeconds {
				count++
			}
			expected += shareAbove(all, gap)
		}
		last = p
	}
	return count, expected
}

// shareAbove is the share of ordered pairs of a sorted series of which the first
// is more than the second by so much.
func shareAbove(sorted []float64, by float64) float64 {
	pairs, below := 0, 0
	for _, x := range sorted {
		for below < len(sorted) && x-sorted[below] > by {
			below++
		}
		pairs += below
	}
	return float64(pairs) / float64(len(sorted)*len(sorted))
}

// LeastRTT is the least RTT of the probes that came back in a span; 0 where fewer
// than three did.
func LeastRTT(e *record.Echo, at, width float64) float64 {
	n, least := 0, math.Inf(1)
	for _, p := range e.Probes {
		if back := p.At + p.RTT; p.RTT > 0 && back >= at && back < at+width {
			n, least = n+1, min(least, p.RTT)
		}
	}
	if n < 3 {
		return 0
	}
	return least
}

// RTTBy is the RTT of the last echo probe that had come back by a time of its
// series; 0 where none had.
func RTTBy(e *record.Echo, at float64) float64 {
	last := 0.0
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At+p.RTT <= at {
			last = p.RTT
		}
	}
	return last
}

// LostUnloaded counts the echo probes that were sent before the first stream began, and
// those of them that got no answer, whichever way they were lost.
func LostUnloaded(r *record.Run) Proportion {
	var lost Proportion
	for _, p := range flow.Unloaded(r) {
		lost.Add(unanswered(p), 1)
	}
	return lost
}

// unanswered is 1 for a probe that got no answer.
func unanswered(p record.Probe) int64 {
	if p.RTT == 0 {
		return 1
	}
	return 0
}
