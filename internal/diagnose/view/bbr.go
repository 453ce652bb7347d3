package view

import (
	"math"

	"unchoke/internal/congestion"
)

// bbrStarts says that the one stream was too short for BBR to have left its
// start-up: there it sends 2/ln 2 times what arrives, so that nearly two
// bandwidth-delay products stand in the queue, until what arrives has not grown for
// three round trips; then it drains the queue in about as many. The queue of such a
// stream is not one that stands (draft-ietf-ccwg-bbr §5.3.1).
func (v *View) bbrStarts() bool {
	if !congestion.BBR(v.CC) || v.MSS <= 0 || v.Idle.Mid <= 0 {
		return false
	}
	doublings := math.Log2(max(v.BDP()/float64(initialWindow*v.MSS), 1))
	return v.One.Duration < (doublings+bbrPlateau+bbrDrain)*v.Ending.Mid
}

const (
	// initialWindow is a connection's first congestion window in segments (RFC 6928).
	initialWindow = 10
	// bbrPlateau round trips without growth end BBR's start-up, and it drains its
	// queue in bbrDrain (BBRFullBwCount, and ln 2 / 2 as the drain's pacing gain).
	bbrPlateau = 3
	bbrDrain   = 3
)

// BBRProbes says that BBR sends, and that its start-up is over: neither a window nor its
// program holds it, and it does not take loss for congestion.
func (v *View) BBRProbes() bool {
	return congestion.BBR(v.CC) && !v.bbrStarts() && len(v.Stalls) == 0 && v.Limits.Network >= LimitShare
}
