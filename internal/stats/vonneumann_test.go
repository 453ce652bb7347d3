package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestVonNeumann(t *testing.T) {
	const n = 2000
	noise, walk, level := make([]float64, n), make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		noise[i] = r.NormFloat64()
		walk[i] = noise[i]
		if i > 0 {
			walk[i] += walk[i-1]
		}
		level[i] = 3
	}
	if got := VonNeumann(noise); math.Abs(got-2) > 3*VonNeumannDeviation(n) {
		t.Errorf("noise has %.3f, not 2 ± %.3f", got, VonNeumannDeviation(n))
	}
	if got := VonNeumann(walk); got > 0.1 {
		t.Errorf("a random walk has %.3f, not about 0", got)
	}
	if got := VonNeumann(level); got != 2 {
		t.Errorf("what does not vary has %g, not 2", got)
	}
	if got := VonNeumann([]float64{0, 1, 0, 1}); got != 3 {
		t.Errorf("what turns back each time has %g, not 3", got)
	}
}
