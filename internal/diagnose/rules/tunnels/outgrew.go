//go:build !slim

package tunnels

import (
	"math"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
)

// OutgrewBack says that outgrew holds of the other way.
func OutgrewBack(v *view.View) bool {
	back := view.Of(v.Run, v.Dir.Opposite())
	if back == nil {
		return false
	}
	t, _ := seen.WorseForUDP(v.Run, back.Dir, true)
	return outgrew(back, t)
}

// outgrew says that TCP's turn outside the tunnel grew to all of the rate that UDP was sent
// at, and to more packets a round trip than would pass without a loss at the share that UDP
// loses, there and in the tunnel at any rate: slow start ends with its first loss. What TCP
// lost then it had overflowed a queue with.
func outgrew(v *view.View, t seen.Turns) bool {
	if t.Asked == 0 || t.Capped() || t.TCP.Delivered < allOfRate*t.Rate || passedInside(v, t) || !freer(v, t) {
		return false
	}
	share := min(t.UDP.Low(), v.Base.Low())
	window := t.TCP.Delivered / 8 * v.Idle.Low / float64(v.MSS)
	return math.Pow(1-share, window) < unlikely
}

const (
	// allOfRate is of the rate offered, of which a slow start misses some.
	allOfRate = 0.9
	// unlikely is how probable as many packets without a loss may be.
	unlikely = 0.01
)
