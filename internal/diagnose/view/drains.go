package view

import (
	"math"
	"slices"

	"unchoke/internal/diagnose/seen"
)

// drains says that the RTT fell below what it was without our load: a queue
// stood there, and others gave way. The same quantile is compared, so that
// jitter does not pass for it; where jitter keeps the order, it cannot.
func (v *View) drains() bool {
	if v.floor <= 0 || v.Idle.N < 20 {
		return false
	}
	fell := v.falls()
	if !fell {
		// Under a flood of ours others give way as well, or stop for a moment by
		// themselves, as BBR does to find the RTT. A path whose delay changes does so
		// whatever the load; the queue without our load stands at its end, as far as our
		// load found one.
		span := v.Idle.High - v.leastBeside
		fell = v.leastBeside > 0 && v.emptiesTo(v.leastBeside) && v.FullQueue() < v.Idle.High+sameEnd*span
	}
	return fell && (v.Releases() || v.stands()) || v.refills()
}

// emptiesTo says that an RTT which several probes in a row had lies below all of those
// without our load. Delay that varies by itself comes below the least of 76 values once
// in 77, and four times in a row once in 35 million; load only makes it longer.
func (v *View) emptiesTo(rtt float64) bool {
	idle := seen.RTTs(v.Run.Echo("idle"), 0, math.Inf(1))
	if len(idle) < tellingProbes || v.idleElsewhere() {
		return false
	}
	return slices.Min(idle)-rtt > v.fallsByChance()
}

// fallsByChance is what an RTT falls below the least of those without our load by noise, in
// seconds.
func (v *View) fallsByChance() float64 { return max(0.05*v.Idle.Mid, 2*seen.LeastSwaySeconds) }

// tellingProbes are enough for the least of them to be the path's, and for how they
// follow each other to be no chance.
const tellingProbes = 40

// falls says that the RTT under load lies below the idle one by more than noise. Where
// packets are held back and keep their order, load makes them wait longer, and never
// shorter: a smaller fall tells, and once is enough.
func (v *View) falls() bool {
	least, deviations := v.floor, noiseBelow
	if v.Releases() {
		least, deviations = v.LeastSeen(), releasedBelow
	}
	return v.fallsTo(least, deviations)
}

// fallsTo says that an RTT lies so many deviations below the idle one, and by more than noise.
func (v *View) fallsTo(rtt, deviations float64) bool {
	return v.Idle.Low-rtt > max(deviations*v.Idle.Dev, v.fallsByChance())
}

// noiseBelow is in standard deviations of the idle RTT.
const noiseBelow = 3.0

// releasedBelow: of 62 kept paths on which three idle probes and more were held back, the RTT
// under load falls by 0.38 to 0.49 deviations on 3, all beside others, and by 0.05 at the
// most on the rest.
const releasedBelow = 0.2

// LeastSeen is the least RTT beside our load in seconds, or without it where too few
// probes tell of it.
func (v *View) LeastSeen() float64 {
	least := v.Idle.Low
	if v.floor > 0 {
		least = v.floor
	}
	if v.leastBeside > 0 {
		least = min(least, v.leastBeside)
	}
	return least
}

// FullQueue is the RTT of echo probes while the path was overloaded; 0 where it
// never was.
func (v *View) FullQueue() float64 {
	full := 0.0
	for _, r := range v.Overloads() {
		if r.Risen {
			full = max(full, r.Spread.Mid)
		}
	}
	return full
}

// floorOf is the least RTT under any load, its 5th percentile where echo probes
// tell it; 0 where none had enough of them.
func floorOf(v *View) float64 {
	floor := 0.0
	for _, t := range v.tcp() {
		under := seen.Beside(v.Run, t, 0, 1)
		if under.N >= 20 && (floor == 0 || under.Low < floor) {
			floor = under.Low
		}
	}
	return floor
}
