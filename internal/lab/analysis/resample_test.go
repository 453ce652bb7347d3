package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Runs of which none brought anything have a replica: the least there is.
func TestReplicaOfStalledRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, xs := range [][]float64{{0, 0, 0}, {0}, {0, 0, 1e6}} {
		if got := newLogMeans(xs).draw(random); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("a replica of %v: %v", xs, got)
		}
	}
}
