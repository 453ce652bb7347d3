//go:build !slim

package rules

import (
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// eightCarryMore doubts the health of one stream where eight carry clearly more than what
// the path was taken to carry.
func eightCarryMore(v *view.View, f *finding.Finding) {
	if v.Eight != nil && v.Eight.SteadyRate > view.GainMatters*v.Capacity {
		doubt(f, eightMoreMost, "But eight streams carried %s, more than one stream and UDP did: what the path carries is not known well.", words.Rate(v.Eight.SteadyRate))
	}
}

// eightMoreMost: of 5 kept directions like that 4 were healthy.
const eightMoreMost = 0.8
