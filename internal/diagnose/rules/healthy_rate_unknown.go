//go:build !slim

package rules

import (
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// doubtRate doubts the health of one stream where it is not known well what the path carries.
func doubtRate(v *view.View, f *finding.Finding) {
	top, known := v.Ceiling()
	switch {
	case v.Eight != nil && v.Eight.SteadyRate > view.GainMatters*v.Capacity:
		doubt(f, eightMoreMost, "But eight streams carried %s, more than one stream and UDP did: what the path carries is not known well.", words.Rate(v.Eight.SteadyRate))
	case v.Eight == nil && known && top < view.SlowShare*v.Rate && v.SpeedsUp():
		doubt(f, nothingFaster, "But it was still speeding up when it ended, and UDP ended at %s: how much more the path carries of TCP is not known.", words.Rate(top))
	}
}

const (
	// eightMoreMost: of 5 kept directions like that 4 were healthy.
	eightMoreMost = 0.8
	// nothingFaster: of 2 kept directions like that 1 was healthy.
	nothingFaster = 0.6
)
