//go:build !slim

package seen

import (
	"math"
	"slices"
	"testing"

	"unchoke/internal/record"
)

// everyFiftieth of a second there is an echo, with these round-trip times in milliseconds.
func everyFiftieth(ms ...float64) *record.Echo {
	e := &record.Echo{}
	for i, x := range ms {
		e.Probes = append(e.Probes, record.Probe{At: 0.02 * float64(i), RTT: x / 1e3})
	}
	return e
}

// steady is so many probes of one RTT.
func steady(n int, ms float64) []float64 { return slices.Repeat([]float64{ms}, n) }

// A leap begins and ends at once. A queue grows from probe to probe; what never ends is
// another path, and what lasts for seconds a slower one.
func TestLeaps(t *testing.T) {
	var grows []float64
	for i := range 30 {
		grows = append(grows, 50+4*float64(i))
	}
	for name, c := range map[string]struct {
		ms   []float64
		want int
	}{
		"a handover":                    {slices.Concat(steady(20, 50), steady(15, 150), steady(20, 50)), 1},
		"two of them":                   {slices.Concat(steady(20, 50), steady(15, 150), steady(20, 50), steady(15, 150), steady(20, 50)), 2},
		"half of it came first":         {slices.Concat(steady(20, 50), steady(1, 100), steady(15, 150), steady(20, 50)), 1},
		"nothing":                       {steady(60, 50), 0},
		"a queue that grows and drains": {slices.Concat(steady(20, 50), grows, steady(20, 50)), 0},
		"it stays":                      {slices.Concat(steady(20, 50), steady(30, 150)), 0},
		"a second and more":             {slices.Concat(steady(20, 50), steady(60, 150), steady(20, 50)), 0},
		"one probe":                     {slices.Concat(steady(20, 50), steady(1, 150), steady(20, 50)), 0},
		"a tenth of the RTT":            {slices.Concat(steady(20, 200), steady(15, 220), steady(20, 200)), 0},
	} {
		got := Leaps(everyFiftieth(c.ms...))
		if len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		for _, l := range got {
			if math.Abs(l.By-0.1) > 1e-9 || math.Abs(l.Duration-0.3) > 0.021 {
				t.Errorf("%s: %+v", name, l)
			}
		}
	}
	if Leaps(nil) != nil {
		t.Error("no probes, and yet they leap")
	}
}
