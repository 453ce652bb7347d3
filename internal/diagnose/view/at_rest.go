//go:build !slim

package view

import (
	"strings"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
)

// atRest is the least RTT of a series between two tests, for runs whose first probes nobody
// answered; N is 0 where no such series was answered either.
func (v *View) atRest() (least flow.Spread) {
	for i := range v.Run.Echoes {
		e := &v.Run.Echoes[i]
		if s := seen.Spread(e); strings.HasPrefix(e.Name, "rest-") && s.N > 0 && (least.N == 0 || s.Mid < least.Mid) {
			least = s
		}
	}
	return least
}
