//go:build slim

package tunnels

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The build for routers does not ask these, for its size.
func sparedOutside(*view.View, seen.Turns) *finding.Finding { return nil }
func outgrew(*view.View, seen.Turns) bool                   { return false }

// OutgrewBack neither.
func OutgrewBack(*view.View) bool { return false }

// LosesInside is rare.
func LosesInside(*view.View) *finding.Finding { return nil }
