package report

import (
	"fmt"

	"unchoke/internal/lab/analysis"
)

// varyingSection is the paths that change with time.
func (l Lab) varyingSection() *labSection {
	if len(l.Varying) == 0 {
		return nil
	}
	s := &labSection{
		Title: "Paths that change", Plot: "episodes",
		Words: []string{"Steady is the same path without its schedule. Stalled is how long the video's player waited for media, the start left out."},
	}
	t := newTable("<path", "<schedule", "<arm", "<traffic", "throughput [95 %]", "steady", "ratio [95 %]", "timeouts", "stalled", "steady's")
	around := newTable("<path", "<episode", "<arm", "<traffic", "times", "before", "first second", "costs", "recovers after", "RTT up to", "cwnd", "down to", "resent")
	for _, v := range l.Varying {
		c := l.Cells[v.Cell]
		base := c.Path.Steady().String()
		steady, within, stalled, steadyStalled := "", "", "", ""
		if c.Spec.Chunk > 0 {
			stalled = inSeconds(c.Stalled)
		}
		if v.Steady >= 0 {
			other := l.Cells[v.Steady]
			steady, within = rate(other.Throughput.Mean), times(v.Ratio)
			if v.Interval != nil {
				within = ratioInterval(v.Ratio, *v.Interval)
			}
			if c.Spec.Chunk > 0 {
				steadyStalled = inSeconds(other.Stalled)
			}
		}
		t.add(base, c.Path.Schedule.String(), c.Arm, c.Traffic, rateWithin(c.Throughput), steady, within, fmt.Sprintf("%.1f", c.Timeouts), stalled, steadyStalled)
		for _, e := range v.Episodes {
			around.add(base, e.Episode, c.Arm, c.Traffic, fmt.Sprint(e.Times), rate(e.Before), rate(e.First), inSeconds(e.Cost), recoveryWords(e.Recovery),
				lapse(e.RTT), fmt.Sprintf("%.0f", e.Cwnd), fmt.Sprintf("%.0f", e.LowCwnd), fmt.Sprintf("%.0f", e.Retransmits))
		}
	}
	s.Tables = append(s.Tables, t.done("Throughput with and without the schedule", 4))
	if len(around.columns[0].Cells) > 0 {
		s.Words = append(s.Words, fmt.Sprintf("Around an episode, medians over every time that it came: the rate in the %v before it and in the first second from its beginning; how long the rate from before would have taken to carry what the %v from its beginning fall short of, less than nothing where they carry more; and when the rate over half a second is first again 90 %% of the one before.", analysis.AroundBefore, analysis.AroundAfter))
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
	return inSeconds(s)
}

// inSeconds prints a time in seconds to a hundredth.
func inSeconds(s float64) string { return fmt.Sprintf("%.2f s", s) }
