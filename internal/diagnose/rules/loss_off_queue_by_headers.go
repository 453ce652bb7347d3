//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// sinksByHeaders goes by what its own packets waited, so that a queue of a few milliseconds
// will do. How much is left in the long run nobody knows where losses come in bursts.
func sinksByHeaders(v *view.View) *finding.Finding {
	o := v.OffQueue()
	if o.Lost.K == 0 {
		return nil
	}
	f := ofLoss(v, o.Lost.Mean()*o.Run, sinksByHeadersSure)
	f.Severity = max(f.Severity, 1-1/view.GainMatters, 1-o.Lasting/v.Capacity)
	left := "Single losses as rare hardly cost a stream anything, bursts of them do"
	if o.Lasting < v.Capacity {
		left = fmt.Sprintf("In the long run about %s is left, and less where they come in bursts", words.Rate(o.Lasting))
	}
	f.Summary = fmt.Sprintf("The path lost packets %s while its queue was not half full, by their headers, once in %.0f that waited as little. For these seconds one stream carries %s of %s; %s takes each such loss for congestion. %s.",
		words.Times(int(o.Lost.K)), 1/o.Lost.Mean(), words.Rate(v.Rate), words.Rate(v.Capacity), words.CCName(v), left)
	f.Evidence = append([]finding.Evidence{
		{What: "losses while the queue was not half full", Value: float64(o.Lost.K), Unit: finding.Count},
	}, f.Evidence...)
	return f
}

// sinksByHeadersSure: see view.OffQueue; a small count, shrunk.
const sinksByHeadersSure = 0.5
