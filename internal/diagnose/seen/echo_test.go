package seen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"unchoke/internal/record"
)

// echoes are answers to probes 20 ms apart whose delay varies by σ = 15 ms around
// 60 ms; where the order is kept, one that would overtake waits.
func echoes(keep bool, seed uint64) *record.Echo {
	r := rand.New(rand.NewPCG(seed, 1))
	e := &record.Echo{Name: "idle"}
	var order []int
	latest := 0.0
	for i := range 75 {
		at := 0.02 * float64(i)
		arrives := at + max(0.06+0.015*r.NormFloat64(), 0.01)
		if keep {
			arrives = max(arrives, latest)
		}
		latest = max(latest, arrives)
		e.Probes = append(e.Probes, record.Probe{At: at, RTT: arrives - at})
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := e.Probes[a], e.Probes[b]
		switch {
		case x.At+x.RTT < y.At+y.RTT-1e-12:
			return -1
		case x.At+x.RTT > y.At+y.RTT+1e-12:
			return 1
		}
		return a - b
	})
	for place, i := range order {
		e.Probes[i].Order = place + 1
	}
	return e
}

func TestInverted(t *testing.T) {
	for seed := range uint64(20) {
		seen, expected := Inverted(echoes(true, seed))
		if seen != 0 || expected < 7 {
			t.Errorf("order kept: %d probes overtaken, %.1f expected of independent delays", seen, expected)
		}
		seen, expected = Inverted(echoes(false, seed))
		if seen == 0 || float64(seen) < expected/3 || float64(seen) > 3*expected {
			t.Errorf("order free: %d probes overtaken, %.1f expected", seen, expected)
		}
	}
}

// Records before probes had a place among the answers tell by their times.
func TestInvertedWithoutPlaces(t *testing.T) {
	for _, keep := range []bool{true, false} {
		e := echoes(keep, 1)
		want, _ := Inverted(e)
		for i := range e.Probes {
			e.Probes[i].Order = 0
		}
		if got, _ := Inverted(e); (got == 0) != (want == 0) {
			t.Errorf("order kept %v: %d overtaken by times, %d by places", keep, got, want)
		}
	}
}

// A path whose delay hardly varies says nothing of order, and neither do probes
// that nobody answered.
func TestInvertedOfNothing(t *testing.T) {
	for _, e := range []*record.Echo{nil, {}, {Probes: []record.Probe{{At: 0}, {At: 1}}}} {
		if seen, expected := Inverted(e); seen != 0 || expected != 0 {
			t.Errorf("%d overtaken, %g expected", seen, expected)
		}
	}
	still := &record.Echo{}
	for i := range 75 {
		still.Probes = append(still.Probes, record.Probe{At: 0.02 * float64(i), RTT: 0.05, Order: i + 1})
	}
	if _, expected := Inverted(still); expected != 0 {
		t.Errorf("%g expected of delays that do not vary", expected)
	}
}

// What was probed between a transfer and the next one, whichever series it stands in.
func TestRestAfter(t *testing.T) {
	r := &record.Run{
		Transfers: []record.Transfer{{Started: 0, Duration: 1}, {Started: 2, Duration: 1}, {Started: 3, Duration: 1}},
		Echoes: []record.Echo{
			{Name: "rest-1", Started: 1, Probes: []record.Probe{{RTT: 0.1}}},
			{Name: "rest-2", Started: 1.5, Probes: []record.Probe{{}, {RTT: 0.2}}},
			{Name: "rest-3", Started: 4.5, Probes: []record.Probe{{RTT: 0.3}}},
		},
	}
	for ended, want := range map[float64][]float64{1: {0.1, 0.2}, 3: nil, 4: {0.3}} {
		if got := RestAfter(r, ended); !slices.Equal(got, want) {
			t.Errorf("after %v s: %v", ended, got)
		}
	}
}
