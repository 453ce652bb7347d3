// Package amend adds to a finding what its rule does not know: what the hosts and
// their tunnel are like, and what nobody looked at.
package amend

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// Finding is a finding with what else is known of the hosts: whose queue it speaks of,
// what nobody looked at and would look the same, which remedies help there, and what
// these hosts have now.
func Finding(v *view.View, f finding.Finding) finding.Finding {
	return withHostValues(v, withSystems(v, withEgress(v, withUnseen(v, withUntoldWay(v, withOutside(v, withCubic(v, fitting(v, f))))))))
}
