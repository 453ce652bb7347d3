//go:build !slim

package view

import (
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
)

// pushesAside says that BBR has more than others at one rate leave, and that they cost it
// what matters all the same. A flood that still filled the queue was not dropped in
// proportion and tells of none.
func (v *View) pushesAside(c Constant) bool {
	return !congestion.LossBasedOrUnknown(v.CC) && v.Rate > c.Line-c.Rate && v.Rate*GainMatters < c.Line &&
		!slices.ContainsFunc(v.Overloads(), func(r seen.Rung) bool { return r.Grew })
}
