//go:build !slim

package diagnose

import (
	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// told lets the headers of packets, where they were read, decide between causes that
// look alike, and name what is beside them; and says what a queue of a few packets makes
// of a stream that has not met it yet.
func told(v *view.View, here []finding.Finding) []finding.Finding {
	here = rules.SpeckAhead(v, rules.ByHeaders(v, here))
	return append(here, found(rules.LossBeside(v, here))...)
}
