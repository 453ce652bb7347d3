//go:build !slim

package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/theory"
)

// UDPLosesAlone says that a loss-based stream whose packets overtake, which makes it slower
// than loss alone would, carries more than the loss that UDP met would leave it: the network
// takes that of UDP and not of TCP. What such a stream resends tells nothing of it: an
// acknowledgement that was overtaken is dropped by its timestamp, with the DSACK in it
// (RFC 7323 §5.3).
func (v *View) UDPLosesAlone() bool {
	return v.Base.K >= lossesOfUDP && v.Reordered() && congestion.LossBased(v.CC) &&
		v.Rate > ModelSpread*theory.CubicRate(v.Idle.Mid, v.Base.Low(), v.MSS)
}

// lossesOfUDP are so many that the loss which they tell of lies within a factor of two.
const lossesOfUDP = 10
