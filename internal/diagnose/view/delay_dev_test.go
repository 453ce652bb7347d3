//go:build !slim

package view

import (
	"math"
	"testing"

	"unchoke/internal/diagnose/seen"
)

// The slowest rung below the ceiling that this host timed tells how the path's delay varies:
// faster ones fill its queue.
func TestDelayDev(t *testing.T) {
	rung := func(sent float64, packets int64, own, most float64, timed bool) seen.Rung {
		return seen.Rung{Sent: sent, Delivered: sent, Packets: packets, Own: own, OwnMost: most, Timed: timed}
	}
	for name, c := range map[string]struct {
		rungs []seen.Rung
		want  float64 // negative: not known
	}{
		"the slower one":       {[]seen.Rung{rung(1e6, 100, 0.010, 0.0182, true), rung(5e6, 500, 0.01, 0.08, true)}, 0.005},
		"of too few":           {[]seen.Rung{rung(1e6, 5, 0.010, 0.0182, true), rung(5e6, 500, 0.01, 0.01, true)}, 0},
		"another host's":       {[]seen.Rung{rung(1e6, 100, 0, 0, false)}, -1},
		"at the path's limit":  {[]seen.Rung{rung(10e6, 100, 0.010, 0.0182, true)}, -1},
		"nothing was measured": {nil, -1},
	} {
		v := &View{Capacity: 10e6, Rungs: c.rungs}
		got, known := v.DelayDev()
		if known != (c.want >= 0) || known && math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: %g %v, want %g", name, got, known, c.want)
		}
	}
}
