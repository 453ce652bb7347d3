//go:build slim

package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The slim build reads no headers of packets.
func sinksByHeaders(*view.View) *finding.Finding { return nil }

// RateSteps is not asked in the slim build, for its size: it is rare.
func RateSteps(*view.View) *finding.Finding { return nil }

// What holds a stream next, these do not look for there either.
func InterruptedToo(*view.View, []finding.Finding) *finding.Finding { return nil }
func CrowdedToo(*view.View, []finding.Finding) *finding.Finding     { return nil }
func SpeckToo(*view.View, []finding.Finding) *finding.Finding       { return nil }
func LeftEarlyToo(*view.View, []finding.Finding) *finding.Finding   { return nil }

// Nor is what is lost where others stand on the way back alone, nor how well it is known
// what the path carries.
func lossBefore(*view.View) *finding.Finding { return nil }
func doubtRate(*view.View, *finding.Finding) {}
