//go:build !slim

package tunnels

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/theory"
)

// OutgrewBack says that outgrew holds of the other way.
func OutgrewBack(v *view.View) bool {
	t, _ := seen.WorseForUDP(v.Run, v.Dir.Opposite(), true)
	if t.Free == 0 || t.Perhaps {
		return false // nobody asked, or not surely of this path
	}
	back := view.Of(v.Run, v.Dir.Opposite())
	return back != nil && outgrew(back, t)
}

// outgrew says that a TCP stream outside the tunnel carried far more than one can that loses
// the share which UDP loses, inside at any rate and outside, for long enough to have met such
// losses many times. What it lost it had overflowed a queue with. Losses that come and go may
// have spared it.
func outgrew(v *view.View, t seen.Turns) bool {
	_, busy := v.Others()
	if busy && t.Asked == 0 || t.Capped() || v.LossComesAndGoes() || passedInside(v, t) || !freer(v, t) {
		return false
	}
	share := v.Base.Low()
	if t.Asked > 0 {
		share = min(share, t.UDP.Low())
	}
	met := share * float64(t.Freed.N)
	return met >= oftenMet && t.Free >= farAbove*theory.CubicRate(v.Idle.Mid, share, v.MSS)
}

// Of 6 kept directions beyond both, without others or with UDP asked outside, 5 suffer by
// what is done to UDP, and the inside of the sixth fills its path. Of bursts a stream may have
// met too few: 7 losses expected and 30 times the rate, 15 and 9 times.
const (
	oftenMet = 20
	farAbove = 12
)
