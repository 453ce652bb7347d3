//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// policerByBucket is the policer of a way down whose delay varies by more than its bucket
// takes to fill, so that a queue could hide from echo probes. What the path let through at
// once beyond its rate, before it dropped the first packet, would have waited in a queue
// before the next one was dropped, and all that came later as long. Neither what this host
// received nor echoes waited for it.
func (v *View) policerByBucket() (limit float64, found bool) {
	if !v.Bunches() {
		return 0, false
	}
	own, rise := 0.0, 0.0
	for _, r := range v.Rungs {
		if r.Timed && r.Lost == 0 {
			own, rise = max(own, r.Own), max(rise, r.Rise)
		}
	}
	for _, r := range v.Overloads() {
		if !r.Timed || !r.Risen || !v.exceeds(r) || r.Delivered <= 0 {
			continue
		}
		full := r.Whole * (1 - r.Delivered/r.Sent) / r.Delivered
		if max(r.Own-own, r.Rise-rise) > full/bucketToDelay {
			return 0, false
		}
		if full > max(severalPackets*seen.LeastQueue(r), deepBucket*v.Idle.Dev) {
			limit, found = min(r.Delivered, v.sharedLimit()), true
		}
	}
	if v.passes(limit) {
		return 0, false
	}
	return limit, found
}

// bucketToDelay: a bucket is told from a queue where its packets waited for less than so
// small a share of what they would have waited in the queue.
const bucketToDelay = 3

// deepBucket is how long such a queue would have taken at the least, in standard deviations
// of the idle delay.
const deepBucket = 1.5
