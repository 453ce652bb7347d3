//go:build !slim

package rules

import (
	"fmt"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// OvertakenToo looks, behind others' traffic, for packets many of which overtake each
// other: without those others the sender would still take the overtaken for lost.
func OvertakenToo(v *view.View, found []finding.Finding) *finding.Finding {
	if !finding.Named(found, finding.Congested) || finding.Named(found, finding.Reordering) {
		return nil
	}
	noticed := v.Losses.Spurious >= 3 || v.Losses.ReordSeen >= 5
	if !noticed || v.Strays.Mean() < manyOvertake {
		return nil
	}
	f := ofReordering(v, overtakenTooSure)
	f.Severity = ends.NextSeverity
	f.Summary = fmt.Sprintf("Packets overtake each other as well, %s of those sent by UDP: the sender takes the overtaken for lost, whether others are there or not.",
		words.Percent(v.Strays.Mean()))
	return f
}

const (
	// manyOvertake of all that was sent by UDP, floods that a queue drops among it.
	manyOvertake = 0.25
	// overtakenTooSure: of three kept directions like that, two gained twice as much and
	// more without it, and one a third.
	overtakenTooSure = 0.5
)
