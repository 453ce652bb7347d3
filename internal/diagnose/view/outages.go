package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// stallsOf lists the times in which the one stream stood still.
func stallsOf(v *View) []flow.Stall {
	for _, s := range v.One.Series {
		if len(s.Samples) > 0 {
			return flow.Stalls(s, flow.All, max(v.Loaded.Mid, v.Idle.Mid))
		}
	}
	return nil
}

// StandsByItself says that the one stream stood still while the path did not: not in one
// of the outages that echo probes met too, nor in the timeouts that follow it, which are
// as long again (RFC 6298 §5.5).
func (v *View) StandsByItself() bool {
	return slices.ContainsFunc(v.Stalls, func(s flow.Stall) bool {
		return !v.outIn(s.At, s.At+s.Duration)
	})
}

// outIn says that an outage, or the timeouts after it, fell into a span of the one
// stream's time, in seconds since it began.
func (v *View) outIn(from, to float64) bool {
	return slices.ContainsFunc(v.Out.All, func(o seen.Outage) bool {
		return v.One.Started+from < o.At+2*o.Duration+v.Idle.Mid && o.At < v.One.Started+to
	})
}

// Stood is the share of its time in which the one stream stood still.
func (v *View) Stood() float64 {
	sum := 0.0
	for _, s := range v.Stalls {
		sum += s.Duration
	}
	return stats.Clamp(sum/max(v.One.Duration, 1e-3), 0, 1)
}

// Interrupted says that outages cost the stream what makes one slow, and the share of
// its time that it loses to them.
func (v *View) Interrupted() (lost float64, found bool) {
	lost = v.interruption()
	return lost, lost >= 1-1/GainMatters
}

// FillsBetween says that outages alone hold the stream back, and by less than what makes
// one slow.
func (v *View) FillsBetween() bool {
	_, costly := v.Interrupted()
	return !costly && v.OnlyOutages()
}

// OnlyOutages says that the stream stood still in outages only, and fills the path for most
// of its other time.
func (v *View) OnlyOutages() bool {
	return len(v.Out.All) > 0 && !v.StandsByItself() && v.WhileRuns() >= SlowShare*v.Capacity
}

// WhileRuns is the median rate of the one stream's intervals, once it was under way, that
// no outage nor its timeouts fell into, in bit/s: of all such intervals where an outage
// lasted from then to its end.
func (v *View) WhileRuns() float64 {
	rates := v.ratesBetween(seen.SteadyFrom * v.One.Duration)
	if len(rates) == 0 {
		rates = v.ratesBetween(0)
	}
	if len(rates) == 0 {
		return 0
	}
	return stats.Median(rates)
}

// Running is what the one stream carried steadily while no outage interrupted it, in bit/s.
func (v *View) Running() float64 {
	if len(v.Out.All) == 0 {
		return v.Rate
	}
	return max(v.Rate, v.WhileRuns())
}

// ratesBetween are those from so many seconds on between outages.
func (v *View) ratesBetween(from float64) (rates []float64) {
	start := 0.0
	for _, i := range v.One.Intervals {
		if start >= from && !v.outIn(start, i.At) {
			rates = append(rates, i.Rate)
		}
		start = i.At
	}
	return rates
}

// interruption is the share of its time that a stream loses to outages: half as much
// again as they last, since timers double from try to try, as often as they came while
// anybody watched, or as soon as the next one did. Of a single one nobody knows when the
// next one comes: what the stream lost in it, but not as if it came much sooner than in
// the time for which the path was watched.
func (v *View) interruption() float64 {
	share := v.OutageShare()
	switch len(v.Out.All) {
	case 0:
		return 0
	case 1:
		share = min(v.Stood(), onceCosts*share)
	default:
		share = max(share, OutageCosts*v.Out.AtOftenest())
	}
	return stats.Clamp(share, 0, 1)
}

// ThrownBack is the share of its time that a stream loses to outages at the most: while they
// last, and while CUBIC grows back from β of the window that fills the path (RFC 9438 §4.6).
func (v *View) ThrownBack() float64 {
	back := (1 - theory.CubicBeta) * theory.CubicGrowth(v.BDP(), v.MSS)
	return stats.Clamp(v.Out.Share()+v.Out.Often()*back, 0, 1)
}

// onceCosts is how much sooner than that it may come.
const onceCosts = 2

// OutageShare is the share of its time that outages take from a stream by their length.
func (v *View) OutageShare() float64 { return OutageCosts * v.Out.Share() }

// whole are the rungs that no outage cut short, on a path that carries nothing at
// times: those beside which echo probes fell silent, and those of which the far end
// knew only the beginning (it counts by the highest sequence number that reached
// it). What they lost is the outage's, and says nothing of a rate.
func (v *View) whole(rungs []seen.Rung) []seen.Rung {
	if len(v.Out.All) == 0 {
		return rungs
	}
	return slices.DeleteFunc(slices.Clone(rungs), func(r seen.Rung) bool {
		return r.Known < knownShare || seen.FellSilent(v.Run.Echo(r.Name))
	})
}
