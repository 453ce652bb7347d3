//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
)

// interleavedSure: 6 of 6 kept directions like that, of some 850 downloads; shrunk.
const interleavedSure = 0.85

// interleaved says how others show whose packets come between the stream's.
func interleaved(v *view.View, o view.Others) (sign string, confidence float64) {
	slot := 8 * float64(v.One.Packets.SegmentSize) / o.Most
	return fmt.Sprintf("The stream's packets arrive a whole number of slots of %s apart, each as long as one packet takes on a line of %s; others' packets have the slots between, and whatever we send gets %s of it at the most",
		words.Duration(slot), words.Rate(o.Most), words.Rate(v.Capacity)), interleavedSure
}
