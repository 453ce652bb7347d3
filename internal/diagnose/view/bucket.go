package view

import (
	"math"

	"unchoke/internal/diagnose/seen"
)

// EmptiedBucket says that a slow stream meets a bucket which is used up by now: a rung
// that passed whole, and one that was dropped later.
func (v *View) EmptiedBucket() (whole, dropped seen.Rung, found bool) {
	if !v.Slow() || v.Queued() || v.Losses.Resent <= 0 || v.late > 0 || len(v.Out.All) > 0 {
		return seen.Rung{}, seen.Rung{}, false
	}
	if _, busy := v.Others(); busy {
		return seen.Rung{}, seen.Rung{}, false
	}
	return v.laterDropped()
}

// ShortBucket says that a policer of so many bit/s was seen to let through at once, beyond
// its rate, a small part of what is under way on the path: each burst of a stream meets it.
// One that was empty when the flood came does not tell, nor do two packets.
func (v *View) ShortBucket(limit float64) bool {
	most := 0.0
	for _, r := range v.Overloads() {
		most = max(most, (r.Arrived-limit*r.Duration)/8)
	}
	return most > float64(2*v.MSS) && most < shortBucket*limit/8*v.Idle.Mid
}

// shortBucket: of 9 kept streams before such a policer 8 were slow for it, whatever else
// was lost, and the ninth for a black hole; of 16 with a bucket of half of what is under
// way and more, none was.
const shortBucket = 0.2

// laterDropped finds a rung that lost what a policer drops, without any delay, after
// one that was faster and lost next to nothing, a tenth of that share at the most. Where
// eight streams have no more than one, a bucket that fills up in between shows in any
// order, and by less.
func (v *View) laterDropped() (whole, dropped seen.Rung, found bool) {
	least, faster, alike := usedUp, seen.Elsewhere, v.alike()
	if alike {
		least, faster = seen.OverloadLoss, 1
	}
	for _, late := range v.Rungs {
		few := seen.LeastQueue(late)
		waited := late.Rise > few || late.Timed && (late.Own > few || late.OwnMost > severalPackets*few)
		if !late.Risen || late.Loss() < least || waited {
			continue
		}
		for _, r := range v.Rungs {
			if (alike || r.Start < late.Start) && r.Sent > faster*late.Sent && r.Loss() < max(seen.OverloadLoss, late.Loss()/10) {
				return r, late, true
			}
		}
	}
	return seen.Rung{}, seen.Rung{}, false
}

// SharesLimit says that eight streams have little more than one, and meet no queue: what
// drops is one bucket for all. Each overflows a short queue by itself. A stream that has
// been growing since slow start, without a loss, meets no limit.
func (v *View) SharesLimit() bool {
	return v.alike() && !v.Regrows() && v.Busier.N > 0 && v.Busier.Mid-v.Idle.Mid <= leastWait && !v.Queued()
}

// sharedLimit is what the bucket of such streams lets through, in bit/s: more only until
// it is used up. +Inf where they show none.
func (v *View) sharedLimit() float64 {
	if !v.SharesLimit() {
		return math.Inf(1)
	}
	return v.Eight.SteadyRate
}

// alike says that eight streams together carry little more than one and leave much of
// what UDP got through: one limit holds them all. Random loss holds each for itself.
func (v *View) alike() bool {
	return v.Eight != nil && v.Eight.SteadyRate < min(crowdedAlike*v.Rate, SlowShare*v.Capacity)
}
