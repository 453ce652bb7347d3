//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// StandsToo looks for a queue that is far longer than the path needs, behind other
// traffic, which fills it before our load does: the RTT then differs by as much as
// bufferbloat adds to an idle one, and to the shorter that was seen by half of it.
func StandsToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.Congested) || finding.Named(found, finding.Bufferbloat) || v.OthersBehind() {
		return nil
	}
	least, most := min(v.LeastSeen(), v.Idle.Low), max(v.Loaded.High, v.FullQueue())
	wait := most - least
	if wait < view.BloatExcess || wait < (view.BloatFactor-1)*least/2 {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Bufferbloat, Confidence: standsTooSure, Severity: ends.NextSeverity,
		Summary: fmt.Sprintf("The queue that others keep standing at the bottleneck holds %s and more: the round trip takes between %s and %s, for everyone on it.",
			words.Duration(wait), words.Duration(least), words.Duration(most)),
		Evidence: []finding.Evidence{
			{What: "least RTT that was seen", Value: least, Unit: finding.Seconds},
			{What: "RTT under load, 95th percentile", Value: most, Unit: finding.Seconds},
		},
		Remedies: []finding.Remedy{{What: fairQueue, Where: finding.Network}},
	}
}

// standsTooSure: on 4 of 4 kept paths like that whose queue was drawn as a deep one, and on
// 8 others, a queue of 100 ms or more stands; whether it, too, costs the stream a third was
// asked of the 4 alone.
const standsTooSure = 0.6
