//go:build slim

package diagnose

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// repaired adds nothing: the build for routers does not ask for selective acknowledgements.
func repaired(_ *view.View, here []finding.Finding) []finding.Finding { return here }
