//go:build slim

package diagnose

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// settled leaves it at the rules: this build makes no copies of a path. A record of the
// whole build that has some says so.
func settled(v *view.View, here []finding.Finding) []finding.Finding {
	tried := false
	for _, c := range v.Run.Predicted {
		tried = tried || c.Direction == v.Dir
	}
	for i := range here {
		if tried {
			here[i].Summary += " This is the slim build: what copies of the path say of it is in the whole one's verdict."
		}
	}
	return here
}
