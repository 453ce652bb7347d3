package lab

import (
	"fmt"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/report/render"
)

// varyingSection is the paths that change with time.
func (l Report) varyingSection() *section {
	if len(l.Varying) == 0 {
		return nil
	}
	s := &section{
		Title: "Paths that change", Plot: "episodes",
		Words: []string{"Steady is the same path without its schedule. Stalled is how long the video player waited for media after its start."},
	}
	t := newTable("<path", "<schedule", "<arm", "<traffic", "throughput [95 %]", "steady", "ratio [95 %]", "timeouts", "stalled", "steady's")
	around := newTable("<path", "<episode", "<arm", "<traffic", "times", "before", "first second", "costs", "recovers after", "RTT up to", "cwnd", "down to", "resent")
	for _, v := range l.Varying {
		c := l.Cells[v.Cell]
		base := c.Path.Steady().String()
		steady, within, stalled, steadyStalled := "", "", "", ""
		if c.Spec.Chunk > 0 {
			stalled = render.Time(c.Stalled)
		}
		if v.Steady >= 0 {
			other := l.Cells[v.Steady]
			steady, within = render.Rate(other.Throughput.Mean), render.Times(v.Ratio)
			if v.Interval != nil {
				within = render.RatioInterval(v.Ratio, *v.Interval)
			}
			if c.Spec.Chunk > 0 {
				steadyStalled = render.Time(other.Stalled)
			}
		}
		t.add(base, c.Path.Schedule.String(), c.Arm, c.Traffic, rateWithin(c.Throughput), steady, within, fmt.Sprintf("%.1f", c.Timeouts), stalled, steadyStalled)
		for _, e := range v.Episodes {
			around.add(base, e.Episode, c.Arm, c.Traffic, fmt.Sprint(e.Times), render.Rate(e.Before), render.Rate(e.First), render.Time(e.Cost), recoveryWords(e.Recovery),
				render.Time(e.RTT), fmt.Sprintf("%.0f", e.Cwnd), fmt.Sprintf("%.0f", e.LowCwnd), fmt.Sprintf("%.0f", e.Retransmits))
		}
	}
	s.Tables = append(s.Tables, t.done("Throughput with and without the schedule", 4))
	if len(around.columns[0].Cells) > 0 {
		s.Words = append(s.Words, fmt.Sprintf("Around an episode, medians over all its occurrences: the rate in the %v before it and in its first second. Costs is the time for which the earlier rate would have to run to carry what is missing in the %v after its beginning; negative if more was carried. It recovers when the rate over half a second is first back at 90 %% of the earlier one.", analysis.AroundBefore, analysis.AroundAfter))
		s.Tables = append(s.Tables, around.done("Around an episode", 4))
	}
	return s
}

func recoveryWords(s float64) string {
	switch {
	case s < 0:
		return fmt.Sprintf("more than %v", analysis.AroundAfter)
	case s == 0:
		return "does not fall"
	}
	return render.Time(s)
}
