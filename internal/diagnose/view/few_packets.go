//go:build !slim

package view

import (
	"math"
	"slices"

	"unchoke/internal/diagnose/seen"
)

// hasFewPackets says that packets waited above the ceiling as long as a queue of some
// takes, by more than such waits vary. Where packets come in bunches, all wait, and it tells
// nothing.
func (v *View) hasFewPackets() bool {
	return !v.Bunches() && slices.ContainsFunc(v.Overloads(), func(r seen.Rung) bool {
		return v.waitsFew(r, math.Hypot(v.Idle.Noise(), r.Spread.Noise()))
	})
}
