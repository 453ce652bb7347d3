//go:build slim

package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The slim build reads no headers of packets.
func sinksByHeaders(*view.View) *finding.Finding { return nil }

// These are not asked in the slim build, for its size: they are rare.
func RateSteps(*view.View) *finding.Finding       { return nil }
func Handovers(*view.View) *finding.Finding       { return nil }
func PolicedTogether(*view.View) *finding.Finding { return nil }
func Young(*view.View) *finding.Finding           { return nil }
func EmptiedBucket(*view.View) *finding.Finding   { return nil }
func EndedEarly(*view.View) *finding.Finding      { return nil }

// What holds a stream next, these do not look for there either.
func InterruptedToo(*view.View, []finding.Finding) *finding.Finding  { return nil }
func CrowdedToo(*view.View, []finding.Finding) *finding.Finding      { return nil }
func StandsToo(*view.View, []finding.Finding) *finding.Finding       { return nil }
func SpeckToo(*view.View, []finding.Finding) *finding.Finding        { return nil }
func OvertakenToo(*view.View, []finding.Finding) *finding.Finding    { return nil }
func LeftEarlyToo(*view.View, []finding.Finding) *finding.Finding    { return nil }
func BunchedToo(*view.View, []finding.Finding) *finding.Finding      { return nil }
func HeldByJitterToo(*view.View, []finding.Finding) *finding.Finding { return nil }

// Nor are packets looked for that are held back and come together, nor what is lost where
// others stand on the way back alone, nor are the lesser doubts of health raised.
func heldUnlost(*view.View) bool                { return false }
func lossBefore(*view.View) *finding.Finding    { return nil }
func lesserDoubts(*view.View, *finding.Finding) {}

// Nor are the rarest cases of a stream without a cause told apart: it is unclear.
func eightFaster(*view.View, *finding.Finding) bool  { return false }
func closedByGaps(*view.View, *finding.Finding) bool { return false }
func filledOnce(*view.View, *finding.Finding) bool   { return false }

// Nor is it asked whether each flow is held to a rate.
func heldEach(*view.View) string { return "" }

// No sign of the two is seen there.
func betweenOurs(*view.View, view.Others) (sign string, confidence float64) { return "", 0 }

// What is unclear there remains so: no guess takes its place.
func lostPerhaps(*view.View) *finding.Finding { return nil }
func begun(*view.View) *finding.Finding       { return nil }
