package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// Interrupted: the path carries nothing for a while, again and again. A sender
// backs off, and its timers wait longer than the outage lasts (RFC 6298 §5.5).
func Interrupted(v *view.View) *finding.Finding {
	lost, found := v.Interrupted()
	if !found {
		return nil
	}
	confidence, n := 0.6, len(v.Out.All)
	switch {
	case v.OutageShare() < 1-1/view.GainMatters:
		// What the stream lost in these seconds is more than so many outages cost.
	case n >= 2 && len(v.Stalls) > 0:
		confidence = 0.85
	case n >= 2:
		confidence = 0.75
	}
	return ofOutages(v, lost, confidence)
}

// PerhapsInterrupted is the same of a slow stream that stood still in an outage, whose
// time alone does not make it slow: its sender grows back for longer than the outage took.
// It is asked where nothing else was found.
func PerhapsInterrupted(v *view.View) *finding.Finding {
	if !backsOff(v) || len(v.Out.All) == 0 || len(v.Stalls) == 0 {
		return nil
	}
	return ofOutages(v, max(v.Stood(), v.OutageShare()), perhapsInterrupted)
}

// perhapsInterrupted: the one direction like that.
const perhapsInterrupted = 0.5

// ofOutages is the finding that outages cost a stream a share of what it could carry.
func ofOutages(v *view.View, lost, confidence float64) *finding.Finding {
	n, longest, runs := len(v.Out.All), 0.0, v.Running()
	for _, o := range v.Out.All {
		longest = max(longest, o.Duration)
	}
	return &finding.Finding{
		Cause: finding.LossLimited, Confidence: confidence, Severity: lost,
		Summary: fmt.Sprintf("The path carried nothing at all %s, for up to %s: a stream stands still then, and its timers wait for longer. While it runs it carries %s.",
			words.Times(n), words.Duration(longest), words.Rate(runs)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries while it runs", Value: runs, Unit: finding.BitRate},
			{What: "outages, by echo probes", Value: float64(n), Unit: finding.Count},
			{What: "of the time", Value: v.Out.Share(), Unit: finding.Ratio},
			{What: "the longest", Value: longest, Unit: finding.Seconds},
			{What: "the stream stood still for", Value: v.Stood() * v.One.Duration, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{{
			What:  "Find what interrupts the path: a radio link that changes its cell or channel, a satellite's handover, a route or a tunnel that goes down and comes back, a host that sleeps. No setting of TCP's carries anything meanwhile.",
			Where: finding.Network,
		}},
	}
}
