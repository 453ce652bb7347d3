package seen

import (
	"math"
	"math/rand/v2"
	"testing"

	"unchoke/internal/record"
)

// Jitter that keeps the order lets packets come together, the more the longer it is against
// the distance of two probes; jitter of each packet alone and a queue that others fill do so
// by chance, of 76 probes hardly three times.
func TestStepsTogether(t *testing.T) {
	const probes, apart = 76, 0.02
	r := rand.New(rand.NewPCG(1, 1))
	series := func(rtt func(at float64) float64) (all []record.Probe) {
		for i := range probes {
			at := float64(i) * apart
			all = append(all, record.Probe{At: at, RTT: rtt(at)})
		}
		return all
	}
	last := 0.0
	inOrder := func(at float64) float64 {
		last = max(last, at+0.05+0.06*r.Float64())
		return last - at
	}
	alone := func(float64) float64 { return 0.05 + max(0, 0.02*r.NormFloat64()) }
	// A bottleneck that others fill, more and more until they lose and leave a third out.
	waits, load := 0.0, 1.0
	queue := func(float64) float64 {
		waits = max(0, waits+apart*(load-1+0.2*r.NormFloat64()))
		load += 0.01
		if waits > 0.06 {
			load = 0.7
		}
		return 0.03 + waits
	}
	for _, c := range []struct {
		name        string
		rtt         func(at float64) float64
		least, most int
	}{
		{"in order", inOrder, 15, probes},
		{"each alone", alone, 0, 3},
		{"others' queue", queue, 0, 3},
	} {
		last, waits, load = 0, 0, 1
		if s := StepsOf(series(c.rtt)); s.N != probes-1 || s.Together < c.least || s.Together > c.most {
			t.Errorf("%s: %d of %d, want %d to %d", c.name, s.Together, s.N, c.least, c.most)
		}
	}
	if s := StepsOf(nil); s.Together != 0 || s.N != 0 {
		t.Errorf("of no probes %d of %d", s.Together, s.N)
	}
	if s := StepsOf(series(func(at float64) float64 { return math.Max(0.1-at, 0.01) })); s.Together != 4 {
		t.Errorf("a queue that nothing enters lets %d go, want 4", s.Together)
	}
}
