//go:build slim

package request

import "unchoke/internal/hint"

// unresolved gives a name without an address its next step.
func unresolved(err error, _ string, _ Family) error {
	return hint.With(err, "check the name; an address works as well")
}
