//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// passesWhole says that nearly all of what the bottleneck carries passed at once when it
// was sent evenly, and hardly any was lost: others would have had to stop. In longer than
// some round trips they give way, and leave three quarters.
func (v *View) passesWhole() bool {
	_, overloaded := v.Ceiling()
	return overloaded && slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool {
		share := r.Sent / v.Capacity
		atOnce := share >= wholeAtOnce && r.Duration <= 3*v.Idle.Mid
		return (atOnce || share >= whole) && !r.Overloaded(v.Rungs) && float64(r.Packets) >= fairSample/3 && r.Loss() < passesLost
	})
}

// Of 7 kept directions in which so much passed 6 have no others this way, and the seventh a
// line of two rates; of 4 in which three quarters passed in six round trips and more 3 have.
const (
	whole       = 0.9
	wholeAtOnce = 0.75
	passesLost  = 0.01
)

// drainsOnWayBack says, of what this host sends, that packets on the way back waited, within
// one gentle rung, for all of the time by which the RTT falls when others give way: their
// queue stands there, and none of it on this way. A delay that varies by itself lets them wait
// as long; and where our stream makes the RTT longer, a queue stands on this way as well.
func (v *View) drainsOnWayBack() bool {
	if v.Dir != record.Up || !v.drains() || v.Jittery() {
		return false
	}
	back, waited := rungsOf(v.Run, record.Down), 0.0
	for _, r := range back {
		if r.Timed && !r.Overloaded(back) {
			waited = max(waited, r.OwnMost)
		}
	}
	falls := v.Idle.High - v.LeastSeen()
	return falls >= seen.LeastSwaySeconds && math.Abs(waited-falls) <= allOfFall*falls && v.Loaded.Mid-v.Idle.Mid <= allOfFall*falls
}

// allOfFall: on 9 of 9 kept paths whose packets waited for 0.93 to 1.05 of the fall nobody
// else sends on the other way; for 0.90 and 1.09 of it others stood on both, as for 0.95 to
// 1.04 where our stream added a tenth of it and more (4 of 4).
const allOfFall = 0.07

// LostBeforeOthers counts what was lost this way where others' queue stands on the way back:
// of what was sent evenly and passed, and of a stream that fills no queue of its own.
func (v *View) LostBeforeOthers() (lost seen.Proportion) {
	if !v.OthersBehind() || v.Rate > v.Capacity/2 {
		return lost
	}
	for _, r := range v.Rungs {
		if v.carries(r) {
			lost.Add(r.Lost, r.Packets)
		}
	}
	lost.Add(v.Losses.Real, v.Losses.Segments)
	return lost
}
