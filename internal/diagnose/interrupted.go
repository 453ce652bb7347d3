package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// interrupted: the path carries nothing for a while, again and again. A sender
// backs off, and its timers wait longer than the outage lasts (RFC 6298 §5.5).
func interrupted(v *view) *finding.Finding {
	lost, found := v.interrupted()
	if !found {
		return nil
	}
	n := len(v.out.all)
	confidence := 0.6
	switch {
	case v.outageShare() < 1-1/gainMatters:
		// What the stream lost in these seconds is more than so many outages cost.
	case n >= 2 && len(v.stalls) > 0:
		confidence = 0.85
	case n >= 2:
		confidence = 0.75
	}
	longest := 0.0
	for _, o := range v.out.all {
		longest = max(longest, o.duration)
	}
	return &finding.Finding{
		Cause: finding.LossLimited, Confidence: confidence, Severity: lost,
		Summary: fmt.Sprintf("The path carried nothing at all %s, for up to %s: a stream stands still then, and its timers wait for longer. While it runs it carries %s.",
			times(n), duration(longest), rate(v.rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries while it runs", Value: v.rate, Unit: finding.BitRate},
			{What: "outages, by echo probes", Value: float64(n), Unit: finding.Count},
			{What: "of the time", Value: v.out.share(), Unit: finding.Ratio},
			{What: "the longest", Value: longest, Unit: finding.Seconds},
			{What: "the stream stood still for", Value: v.stood() * v.one.Duration, Unit: finding.Seconds},
		}, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{{
			What:  "Find what interrupts the path: a radio link that changes its cell or channel, a satellite's handover, a route or a tunnel that goes down and comes back, a host that sleeps. No setting of TCP's carries anything meanwhile.",
			Where: finding.Network,
		}},
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// interrupted says that outages cost the stream what makes one slow, and the share of
// its time that it loses to them.
func (v *view) interrupted() (lost float64, found bool) {
	lost = v.interruption()
	return lost, lost >= 1-1/gainMatters
}

// interruption is the share of its time that a stream loses to outages: what it
// lost, or half as much again as they last, since timers double from try to try.
func (v *view) interruption() float64 {
	if len(v.out.all) == 0 {
		return 0
	}
	share := v.stood()
	if len(v.out.all) >= 2 {
		share = max(share, v.outageShare())
	}
	return stats.Clamp(share, 0, 1)
}

// outageShare is the share of its time that outages take from a stream by their length.
func (v *view) outageShare() float64 { return outageCosts * v.out.share() }
