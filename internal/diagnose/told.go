//go:build !slim

package diagnose

import (
	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/rules/tunnels"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// told lets a stream outside a tunnel and the headers of packets, where there are any, decide
// between causes that look alike, and name what is beside them; and says what a queue of a
// few packets makes of a stream that has not met it yet.
func told(v *view.View, here []finding.Finding) []finding.Finding {
	if finding.Named(here, finding.ShallowBuffer) {
		if f := tunnels.LosesInside(v); f != nil {
			return found(f) // TCP's bursts pass outside: what drops them inside is no queue
		}
	}
	here = rules.SpeckAhead(v, rules.ByHeaders(v, here))
	return append(here, found(rules.LossBeside(v, here))...)
}
