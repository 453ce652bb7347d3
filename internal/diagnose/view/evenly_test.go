//go:build !slim

package view

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unchoke/internal/diagnose/seen"
)

func TestDelaysEvenly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		delay   func() float64
		strays  int64
		packets int
		want    bool
	}{
		"uniform":               {r.Float64, 100, 400, true},
		"normal":                {func() float64 { return 4 + min(math.Abs(r.NormFloat64()), 4)*float64(r.IntN(2)*2-1) }, 100, 400, false},
		"a long tail":           {r.ExpFloat64, 100, 400, false},
		"none overtook another": {r.Float64, 0, 400, false},
		"too few":               {r.Float64, 100, 100, false},
	} {
		var all []float64
		for range c.packets {
			all = append(all, c.delay())
		}
		slices.Sort(all)
		at := func(share float64) float64 { return all[int(share*float64(len(all)-1))] - all[0] }
		v := &View{Capacity: 10e6, Rungs: []seen.Rung{{
			Timed: true, Sent: 1e6, Delivered: 1e6, Packets: int64(c.packets), Reordered: c.strays,
			Own: at(0.5), OwnMost: at(0.95), Longest: at(1),
		}}}
		if got := v.DelaysEvenly(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
