//go:build !slim

package diagnose

import (
	"slices"

	"unchoke/internal/diagnose/rules/ends"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// repaired adds that a stream has no selective acknowledgements, where that holds it back, and
// leaves out what it seems to have only because its sender then repairs one loss a round
// trip: losses that nothing but the stream met, a receive window full of what came behind a
// gap, a send buffer where the sender does not tell, a start that ended early, packets that
// seem late.
func repaired(v *view.View, here []finding.Finding) []finding.Finding {
	f := ends.NoSACK(v)
	if f == nil {
		return here
	}
	here = slices.DeleteFunc(here, func(f finding.Finding) bool {
		switch f.Cause {
		case finding.LossLimited:
			return v.Base.K == 0
		case finding.SendBuffer:
			return v.Limits.Inferred
		case finding.ReceiveWindow, finding.SlowStart, finding.Reordering:
			return true
		}
		return false
	})
	return append(here, *f)
}
