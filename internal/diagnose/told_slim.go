//go:build slim

package diagnose

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// told changes nothing: the build for routers reads no headers of packets.
func told(_ *view.View, here []finding.Finding) []finding.Finding { return here }
