//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
)

// betweenOurs says how others show whose packets are sent between ours, and how sure that is.
func betweenOurs(v *view.View, o view.Others) (sign string, confidence float64) {
	if o.By == view.ByTurns {
		return "The bottleneck keeps flows apart, and what we sent at a part of the rate that a flood gets waited there in a queue of its own, as beside others who take their turns", turnsSure
	}
	slot := 8 * float64(v.MSS) / o.Most
	return fmt.Sprintf("Our packets arrive a whole number of slots of %s apart, each as long as one packet takes on a line of %s; others' packets have the slots between, and whatever we send gets %s of it at the most",
		words.Duration(slot), words.Rate(o.Most), words.Rate(v.Capacity)), interleavedSure
}

// turnsSure: 3 of 3 kept directions like that have others; the two first ones show them by
// other signs as well.
const turnsSure = 0.6

// interleavedSure: 5 of 5 kept directions like that, of some 850 downloads; shrunk.
const interleavedSure = 0.85
