//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// These complete what is said of a stream for which no rule found a cause, each where its
// rare case is met, and say whether it is.

// eightFaster: eight streams carried so much more, and UDP at another time so much less,
// that the path's rate changes.
func eightFaster(v *view.View, f *finding.Finding) bool {
	if !v.Contradicted() || v.Eight.SteadyRate <= muchFaster*v.Rate || v.Queued() {
		return false
	}
	f.Cause, f.Confidence, f.Severity = finding.Unclear, unclearConfidence, 0.1
	f.Summary = fmt.Sprintf("One stream carries %s, eight streams carried %s, and UDP at another time far less: the path's rate changes, and how much of it one stream misses is not known.",
		words.Rate(v.Rate), words.Rate(v.Eight.SteadyRate))
	return true
}

// muchFaster is more than a line's rates differed on paths where one stream kept no queue and
// yet missed nothing: eight streams met at most 1.7 times what it had.
const muchFaster = 3.0

// closedByGaps: what came behind the packets that a start lost filled the receiver's buffer.
func closedByGaps(v *view.View, f *finding.Finding) bool {
	if !v.ClosedByGaps() {
		return false
	}
	f.Confidence = closedSure
	f.Summary = fmt.Sprintf("One stream carries %s of the %s that the path can. Its start overflowed the queue: %d packets were lost at once, and what came behind them filled the receiver's buffer (a window of %s, once %s), which lasted until the test ended: a longer test tells.",
		words.Rate(v.Rate), words.Rate(v.Capacity), v.Losses.Real, words.Size(v.Limits.Advertised), words.Size(v.Limits.Offered))
	return true
}

// closedSure: the one direction like that; whether it loses later, nobody knows.
const closedSure = 0.5

// filledOnce: a stream of few round trips had reached the path's rate for a moment.
func filledOnce(v *view.View, f *finding.Finding) bool {
	if !v.HardlyBegun() || v.Alone() || v.Once() < view.SlowShare*v.Capacity {
		return false
	}
	f.Confidence = filledOnceSure
	f.Summary = fmt.Sprintf("One stream carries %s. For a moment it had reached the %s that the path can carry, and was making up for what its start had lost when it ended, %.0f round trips old.",
		words.Rate(v.Rate), words.Rate(v.Capacity), v.One.Duration/v.Idle.Mid)
	return true
}

// filledOnceSure: a small count; what comes after so few round trips nobody knows.
const filledOnceSure = 0.6
