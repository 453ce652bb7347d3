package view

import (
	"math"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// LostInOrder says that the stream lost packets. Where the order is kept nothing is
// resent in vain for having come late, so that segments which came twice speak of
// probes for the tail, not against a loss.
func (v *View) LostInOrder() bool {
	return v.Losses.Real > 0 || v.KeepsOrder() && v.Losses.Resent > 0
}

// Bunches says that the delay varies by itself, that nothing overtakes, and that
// a few packets more make it longer: where the order is kept, each packet waits
// for the slowest before it, so that the delay rises with the number of packets,
// far below the rate at which a queue fills.
func (v *View) Bunches() bool {
	if v.Idle.Dev < JitterOfRTT*v.Idle.Mid {
		return false
	}
	if own, _, known := v.Wait(); !known || v.Idle.Dev < bunchOfQueue*own || v.Overtaken() {
		return false
	}
	least := v.Idle.Dev
	if v.KeepsOrder() {
		least = bunchRise * min(least, v.usualSpread())
	}
	for _, r := range v.Rungs {
		if r.Sent < gentleShare*v.Capacity && r.Risen && r.Lost == 0 && r.Rise >= least {
			return true
		}
	}
	return false
}

// usualSpread is half of what the middle two thirds of the idle RTTs span: the
// standard deviation of normal ones, which a few late packets do not raise.
func (v *View) usualSpread() float64 {
	all := seen.RTTs(v.Run.Echo("idle"), 0, math.Inf(1))
	if len(all) == 0 {
		return v.Idle.Dev
	}
	q := stats.Quantiles(all, 0.16, 0.84)
	return (q[1] - q[0]) / 2
}

// KeepsOrder says that packets do not overtake each other although their delay
// varies so much that they would, were each delayed on its own: echo probes were
// answered in order all the time, where so many inversions were to be expected of
// independent delays that none at all is no chance.
func (v *View) KeepsOrder() bool {
	count, expected := v.inversions()
	return count == 0 && expected > unmetInversions
}

// inversions counts successive echo probes of which the later one was answered
// first, without load and beside rungs that fill no queue, and how many of them
// independent delays of the same distribution would make.
func (v *View) inversions() (count int, expected float64) {
	series := []*record.Echo{v.Run.Echo("idle")}
	for _, r := range v.Rungs {
		if r.Sent < gentleShare*v.Capacity {
			series = append(series, v.Run.Echo(r.Name))
		}
	}
	for _, e := range series {
		k, n := seen.Inverted(e)
		count, expected = count+k, expected+n
	}
	return count, expected
}
