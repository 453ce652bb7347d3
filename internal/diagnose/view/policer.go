package view

import (
	"math"
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
)

// Policer is the rate at which packets are dropped although none waits: the
// rungs above the ceiling lose what exceeds it, while their delay stays what
// it was. A queue of even a few packets shows: while it overflows, each packet
// that gets through has waited for all of it.
func (v *View) Policer() (limit float64, found bool) {
	if limit, found := v.policerByBucket(); found {
		return limit, true
	}
	if v.OthersBehind() && !v.drainsOnWayBack() {
		return v.policerByTimes()
	}
	below, risen := v.belowCeiling()
	waits := 0
	for _, r := range v.Overloads() {
		noise := math.Hypot(below.Noise(), r.Spread.Noise())
		rise, few, own := r.Rise-risen, seen.LeastQueue(r), r.Own-v.steadyOwn()
		if own > max(few, 4*noise) {
			return 0, false // its packets waited, whatever was lost of them
		}
		if !r.Risen || !v.exceeds(r) {
			continue // nobody knows its delay, or it did not lose what it sent too much
		}
		least := few
		if below.Dev < few/4 {
			least = few / 2 // the delay is so constant that half a packet is none of its own
		}
		if rise > max(least, 4*below.Noise()) {
			waits++
		}
		if rise > max(few, 4*noise) {
			return 0, false
		}
		if r.Grew && !v.Jittery() {
			return 0, false
		}
		if rise+2*noise > max(few, hiddenQueue*v.Idle.Mid) {
			continue // a queue could hide in this much noise
		}
		limit, found = min(r.Delivered, v.sharedLimit()), true
	}
	if waits > 1 {
		return 0, false // each by itself may be noise
	}
	if v.late > 0 || v.tcpRise-risen > max(leastWait, hiddenQueue*v.Idle.Mid, 4*v.Idle.Noise()) {
		return 0, false // a queue that keeps flows apart hides from echo probes
	}
	if v.passes(limit) || found && v.waitsAtLoss(limit, risen) {
		return 0, false
	}
	if found && v.hasFewPackets() {
		return 0, false
	}
	if found && v.Queued() && v.Loaded.Mid-v.Idle.Mid > hiddenQueue*v.Idle.Mid {
		return 0, false // the stream itself found a queue
	}
	return limit, found
}

// waitsAtLoss says that the sender's packets had waited when some were lost for as long as
// the one before them takes at a rate: a queue of a few packets, too short for echo
// probes, which are smaller, to stand in.
func (v *View) waitsAtLoss(rate, risen float64) bool {
	at, told := v.RTTAtLoss()
	one := 8 * float64(v.MSS) / rate
	return told && at-v.Idle.Mid-risen > max(one, hiddenQueue*v.Idle.Mid, 4*v.Idle.Noise())
}

// exceeds says that a rung sent clearly more than arrived, and lost it.
func (v *View) exceeds(r seen.Rung) bool {
	return r.Sent >= overSent*r.Delivered && r.Loss() >= policerLoss+seen.Gentlest(v.Rungs)
}

// passes says that the stream itself got through faster than a limit, but for outages.
func (v *View) passes(limit float64) bool {
	return limit < passesShare*max(v.Rate, v.WhileRuns())
}

// passesShare of what one stream carries is less than a policer lets through of UDP: its
// receiver's socket drops as well, where its program is slow.
const passesShare = 0.95

// policerByTimes is the policer where others' queue on the way back moves the RTT: what
// came to this host tells by its own packets' times that none of them waited.
func (v *View) policerByTimes() (limit float64, found bool) {
	for _, r := range v.Overloads() {
		if !r.Timed || !v.exceeds(r) {
			continue
		}
		if r.OwnMost > seen.LeastQueue(r) {
			return 0, false
		}
		limit, found = min(r.Delivered, v.sharedLimit()), true
	}
	if v.late > 0 || v.passes(limit) {
		return 0, false
	}
	return limit, found
}

// belowCeiling is the delay without a queue at the bottleneck: the idle one and no rise.
// Where the delay varies and the order is kept, every packet waits for the slowest before
// it, and the more there are, the longer: there it is that of the fastest rung which lost
// nothing below the ceiling, and its rise above the idle one.
func (v *View) belowCeiling() (spread flow.Spread, rise float64) {
	spread = v.Idle
	if !v.Bunches() {
		return spread, 0
	}
	fastest := 0.0
	for _, r := range v.Rungs {
		if r.Risen && r.Lost == 0 && r.Sent > fastest && r.Sent < baselineShare*v.Capacity {
			fastest, spread, rise = r.Sent, r.Spread, r.Rise
		}
	}
	return spread, rise
}

// HidesPackets says that the delay varies by so much that a queue of several packets
// would not show in any of these rungs.
func (v *View) HidesPackets(over []seen.Rung) bool {
	below, risen := v.belowCeiling()
	return !slices.ContainsFunc(over, func(r seen.Rung) bool {
		noise := math.Hypot(below.Noise(), r.Spread.Noise())
		return r.Risen && r.Rise-risen+2*noise <= severalPackets*seen.LeastQueue(r)
	})
}

// MayHaveFewPackets says that packets waited above the ceiling as long as a queue of some
// takes, be it by chance, or on a line so fast that this is less than what is taken for a
// queue.
func (v *View) MayHaveFewPackets(over []seen.Rung) bool {
	return slices.ContainsFunc(over, func(r seen.Rung) bool { return v.waitsFew(r, 0) })
}

// waitsFew says that a rung's packets waited longer than a few take, and some seconds.
func (v *View) waitsFew(r seen.Rung, seconds float64) bool {
	return r.Risen && max(r.Rise, r.Own-v.steadyOwn()) > seen.FewPacketsTime(r)+seconds
}

const severalPackets = 4 // of a packet and a half each
