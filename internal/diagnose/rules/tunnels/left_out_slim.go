//go:build slim

package tunnels

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// The build for routers does not ask this, for its size.
func sparedOutside(*view.View, seen.Turns) *finding.Finding { return nil }
