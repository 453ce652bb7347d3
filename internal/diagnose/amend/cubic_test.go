//go:build !slim

package amend

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Of a healthy path it is said what another algorithm gains over CUBIC there, in the
// direction in which it does.
func TestCubicBeside(t *testing.T) {
	run := &record.Run{Cubic: []record.Transfer{{Direction: record.Up, SteadyRate: 3e6}}}
	for _, c := range []struct {
		way     record.Direction
		rate    float64
		cause   finding.Cause
		told    bool // what CUBIC carries
		praised bool
	}{
		{record.Up, 40e6, finding.Healthy, true, true},
		{record.Up, 3.2e6, finding.Healthy, true, false},
		{record.Up, 40e6, finding.Bufferbloat, true, false},
		{record.Down, 40e6, finding.Healthy, false, false},
	} {
		v := &view.View{Run: run, Dir: c.way, Rate: c.rate, CC: "bbr"}
		f := withCubic(v, finding.Finding{Cause: c.cause})
		if told, praised := len(f.Evidence) == 1, strings.Contains(f.Summary, "CUBIC, Linux's default, carries 3.00 Mbit/s"); told != c.told || praised != c.praised {
			t.Errorf("%s %s of %g bit/s: told %v, praised %v, %q", c.cause, c.way, c.rate, told, praised, f.Summary)
		}
	}
}
