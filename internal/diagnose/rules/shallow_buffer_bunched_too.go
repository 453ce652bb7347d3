//go:build !slim

package rules

import (
	"slices"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// BunchedToo is Bunched before a policer, which hides how long the queue is: bunches
// empty its bucket as well.
func BunchedToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.Policed) || !backsOff(v) || !v.Bunches() || !v.LacksAThird() {
		return nil
	}
	own, _, _ := v.Wait()
	f := ofBunches(v, own, perhapsBunched, "Bunches empty the policer's bucket, which would let them pass if they came evenly.")
	f.Severity = min(f.Severity, ends.NextSeverity)
	return f
}

// perhapsBunched: how deep the bucket is, nobody knows, nor what those others leave.
const perhapsBunched = 0.5

// HeldByJitterToo is HeldByJitter where nothing but a standing queue was found, or others'
// traffic: packets that are held back and come together wait as if in a queue that takes
// them no longer, and without those others the stream would meet that next.
func HeldByJitterToo(v *view.View, found []finding.Finding) *finding.Finding {
	other := func(f finding.Finding) bool {
		return f.Cause != finding.Bufferbloat && f.Cause != finding.Congested
	}
	if len(found) == 0 || slices.ContainsFunc(found, other) || !v.Releases() {
		return nil
	}
	if v.Loaded.Mid-v.Idle.Mid > heldDeviations*v.Idle.Dev {
		return nil
	}
	f := HeldByJitter(v)
	if f != nil && finding.Named(found, finding.Congested) {
		f.Confidence, f.Severity = perhapsBunched, min(f.Severity, ends.NextSeverity)
	}
	return f
}

// heldDeviations: each packet waits for the slowest before it, which netem's distributions
// make no later than four standard deviations above the mean; the measured one is some off.
const heldDeviations = 5

// heldUnlost says that packets were seen to be held back, beside a stream that lost nothing
// and has less than half of the path: its sender took the delay for a queue.
func heldUnlost(v *view.View) bool { return v.Releases() && v.Rate < unlostShare*v.Capacity }

// unlostShare: all 5 kept directions like that carry 1.6 times as much and more without the
// jitter; of 2 that have more of the path, one does.
const unlostShare = 0.5
