//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// EmptiedBucket: evenly sent packets were dropped in number while nothing waited,
// although the path had carried a faster rung whole. A policer's bucket that is
// large lets through whatever comes, until it is used up. It is asked of a slow
// stream for which nothing else was found.
func EmptiedBucket(v *view.View) *finding.Finding {
	whole, dropped, found := v.EmptiedBucket()
	if !found {
		return nil
	}
	limit := dropped.Delivered
	if v.Eight != nil {
		limit = min(limit, v.Eight.SteadyRate)
	}
	return &finding.Finding{
		Cause: finding.Policed, Confidence: emptiedSure, Severity: 0.3,
		Summary: fmt.Sprintf("The path carried %s of UDP whole, and later dropped %s of %s while nothing waited: a policer whose bucket was full at first. In the long run it lets %s through at the most, and one stream gets %s.",
			words.Rate(whole.Sent), words.Percent(dropped.Loss()), words.Rate(dropped.Sent), words.Rate(limit), words.Rate(v.Rate)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "sent and all delivered, at first", Value: whole.Sent, Unit: finding.BitRate},
			{What: "sent later", Value: dropped.Sent, Unit: finding.BitRate},
			{What: "lost of it", Value: dropped.Loss(), Unit: finding.Ratio},
			{What: "delay added meanwhile", Value: dropped.Rise, Unit: finding.Seconds},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{{
			What:  "The limit is the network's: a larger contract, or another path. Short transfers pass at the line's rate as long as the bucket lasts.",
			Where: finding.Network,
		}},
	}
}

// emptiedSure: a loss that comes for seconds and goes would look the same.
const emptiedSure = 0.7
