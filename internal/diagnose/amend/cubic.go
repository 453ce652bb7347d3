//go:build !slim

package amend

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// withCubic says what a stream by CUBIC carried beside one of another algorithm. Of a
// healthy path it is what the algorithm gains there, if it does.
func withCubic(v *view.View, f finding.Finding) finding.Finding {
	t := record.TransferIn(v.Run.Cubic, v.Dir)
	if t == nil {
		return f
	}
	f.Evidence = append(f.Evidence, finding.Evidence{What: "one stream by CUBIC carries", Value: t.SteadyRate, Unit: finding.BitRate})
	if f.Cause == finding.Healthy && t.SteadyRate < view.SlowShare*v.Rate {
		f.Summary += fmt.Sprintf(" CUBIC, Linux's default, carries %s: the rest is what %s gains.", words.Rate(t.SteadyRate), words.CCName(v))
	}
	return f
}
