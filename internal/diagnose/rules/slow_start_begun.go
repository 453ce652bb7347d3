//go:build !slim

package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// begun is the guess that the slow start is costly of a direction of which nobody knows
// what it carries: the path is so long that the whole test was few round trips, of which
// the start, and making up for what it lost, took a good part. What the path carries in the
// long run was not measured; what a transfer of that length loses by its start was.
func begun(v *view.View) *finding.Finding {
	if !v.Alone() || !v.HardlyBegun() {
		return nil
	}
	mean, ending := v.One.Goodput(0, 1), v.One.Goodput(0.75, 1)
	if ending < view.GainMatters*mean {
		return nil
	}
	return &finding.Finding{
		Cause: finding.SlowStart, Confidence: begunSure, Severity: (1 - mean/ending) / 2,
		Summary: fmt.Sprintf("The test was %.0f round trips long. One stream carried %s in its last quarter and %s over all: a transfer of that length spends much of it in its start, and in making up for what that lost. What the path carries of a longer one was not measured.",
			v.One.Duration/v.Idle.Mid, words.Rate(ending), words.Rate(mean)),
		Evidence: slices.Concat([]finding.Evidence{
			{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
			{What: "over all of the test", Value: mean, Unit: finding.BitRate},
		}, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{keepBusy(v)},
	}
}

// begunSure: of 9 kept directions like that the start cost a stream a third on 6, and
// nothing else did on the others.
const begunSure = 0.6
