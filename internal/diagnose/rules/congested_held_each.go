//go:build !slim

package rules

import "unchoke/internal/diagnose/view"

// heldEach says in words that eight streams carry nearly eight times what one does, which no
// flow exceeds: others would have to be dozens. It is empty otherwise.
func heldEach(v *view.View) string {
	if v.Eight.SteadyRate < heldEachGain*v.Rate {
		return ""
	}
	return "Eight streams carry about eight times as much as one, which no flow exceeds however fast it sends: the network holds each flow to a rate, or dozens of others share the bottleneck"
}

// heldEachGain: beside n others in a fair queue eight streams get 8(n+1)/(n+8) times what one
// gets, as much as this from 30 others.
const heldEachGain = 6.5
