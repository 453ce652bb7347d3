//go:build slim

package rules

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// What the slim build does not ask, for its size: both are rare.

func Sinking(*view.View) *finding.Finding   { return nil }
func RateSteps(*view.View) *finding.Finding { return nil }
