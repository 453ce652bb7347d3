//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// RateSteps: the line's own rate changes by much, and its queue is short. A stream
// overflows it when the rate falls, and when it rises has far less under way than the
// line carries then. It is asked where nothing else was found.
func RateSteps(v *view.View) *finding.Finding {
	s, changes := v.Steps()
	held, mean := s.Held(v.Idle.Mid), (s.Least+s.Most)/2
	if !changes || held >= heldLittle || v.Rate >= view.SlowShare*mean || !congestion.LossBasedOrUnknown(v.CC) {
		return nil
	}
	wants := (s.Most - s.Least) * v.Idle.Mid / 8
	return &finding.Finding{
		Cause: finding.ShallowBuffer, Confidence: rateStepsSure, Severity: 1 - v.Rate/mean,
		Summary: fmt.Sprintf("The line's own rate changes between %s and %s, and its queue holds %s. A stream overflows it when the rate falls, has %s of what the line keeps under way when it rises again, and grows from there: it gets %s.",
			words.Rate(s.Least), words.Rate(s.Most), words.Size(s.Queue), words.Percent(held), words.Rate(v.Rate)),
		Evidence: append([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "the line's lower rate", Value: s.Least, Unit: finding.BitRate},
			{What: "its higher rate", Value: s.Most, Unit: finding.BitRate},
			{What: "queue at the bottleneck", Value: s.Queue, Unit: finding.Bytes},
			{What: "held of the higher rate when it begins", Value: held, Unit: finding.Ratio},
		}, words.RetransmitEvidence(v)...),
		Remedies: []finding.Remedy{
			{
				What:  fmt.Sprintf("Where the link's device is yours: give its queue %s, which the higher rate has under way and the lower one has not. No setting of the hosts brings as much.", words.Size(wants)),
				Where: finding.Network,
			},
			{
				What:  "Several connections at once make up for some of it: each grows for itself.",
				Where: finding.Sender, Host: v.Sender(),
			},
		},
	}
}

const (
	// heldLittle: with 0.55 of what is under way at the higher rate two kept paths were
	// slow for their steps by 1.5; with 0.7 the gain was 1.2, with more next to nothing.
	heldLittle = 0.65
	// rateStepsSure: the two kept directions like that are; both were seen when this rule
	// was made.
	rateStepsSure = 0.5
)
