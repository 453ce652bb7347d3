package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// begun makes of a direction of which nobody knows what it carries one whose slow start
// is costly: the path is so long that the whole test was few round trips, of which the
// start, and making up for what it lost, took a good part. What the path carries in the
// long run was not measured; what a transfer of that length loses by its start was.
func begun(v *view.View, f *finding.Finding) {
	if !v.Alone() || !v.HardlyBegun() {
		return
	}
	mean, ending := v.One.Goodput(0, 1), v.One.Goodput(0.75, 1)
	if ending < view.GainMatters*mean {
		return
	}
	f.Cause, f.Confidence, f.Severity = finding.SlowStart, begunSure, (1-mean/ending)/2
	f.Summary = fmt.Sprintf("The test was %.0f round trips long. One stream carried %s in its last quarter and %s over all: a transfer of that length spends much of it in its start, and in making up for what that lost. What the path carries of a longer one was not measured.",
		v.One.Duration/v.Idle.Mid, words.Rate(ending), words.Rate(mean))
	f.Evidence[1] = finding.Evidence{What: "over all of the test", Value: mean, Unit: finding.BitRate}
	f.Remedies = []finding.Remedy{keepBusy(v)}
}

// begunSure: of 9 kept directions like that the start cost a stream a third on 6, and
// nothing else did on the others.
const begunSure = 0.6
