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

// perhapsBunched: how deep the bucket is, nobody knows.
const perhapsBunched = 0.5

// HeldByJitterToo is HeldByJitter where nothing but a standing queue was found: packets that
// are held back and come together wait as if in one that takes them no longer.
func HeldByJitterToo(v *view.View, found []finding.Finding) *finding.Finding {
	other := func(f finding.Finding) bool { return f.Cause != finding.Bufferbloat }
	if len(found) == 0 || slices.ContainsFunc(found, other) || !v.Releases() {
		return nil
	}
	if v.Loaded.Mid-v.Idle.Mid > heldDeviations*v.Idle.Dev {
		return nil
	}
	return HeldByJitter(v)
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
