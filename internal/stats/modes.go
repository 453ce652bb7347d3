package stats

import (
	"math/rand/v2"
	"slices"
)

// Modes is a sample cut in two where the halves lie tightest about their means.
type Modes struct {
	Low, High float64 // means of the halves
	// P is the probability that a single mode would look as clearly like two.
	P float64
}

// leastMode is the share of a sample that makes a mode, but never a single
// value: that is an outlier.
const leastMode = 1.0 / 6

// TwoModes looks for two modes in a sample: Engelman and Hartigan's test
// ("Percentage Points of a Test for Clusters", JASA 64, 1969), the largest
// ratio over all cuts of the sum of squares between the halves to that within
// them. P is by simulation, seeded, against the uniform distribution, the
// flattest that still counts as one mode, so that normal and skewed samples
// alarm less often than P says. Of samples of this size it needs fewer than
// Hartigan's dip test to see modes. Samples of fewer than four have no modes:
// P is 1.
func TwoModes(xs []float64) Modes {
	m, seen := cut(xs)
	if m.P = 1; seen == 0 {
		return m
	}
	const simulations = 2000
	random := rand.New(rand.NewPCG(1, uint64(len(xs))))
	uniform := make([]float64, len(xs))
	as := 0
	for range simulations {
		for i := range uniform {
			uniform[i] = random.Float64()
		}
		if _, chance := cut(uniform); chance >= seen {
			as++
		}
	}
	// The sample is one of those that could have been (Davison and Hinkley,
	// "Bootstrap Methods and their Application", 1997, §4.2).
	m.P = float64(as+1) / (simulations + 1)
	return m
}

// cut finds the best cut and its ratio, 0 where there is none.
func cut(xs []float64) (m Modes, ratio float64) {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	least := max(2, int(leastMode*float64(n)))
	all, squares := 0.0, 0.0
	mean := Mean(sorted)
	for _, x := range sorted {
		all += x - mean
		squares += (x - mean) * (x - mean)
	}
	if squares == 0 {
		return m, 0
	}
	low := 0.0 // sum of the lower half
	for k := 1; k <= n-least; k++ {
		low += sorted[k-1] - mean
		if k < least {
			continue
		}
		lowMean, highMean := low/float64(k), (all-low)/float64(n-k)
		between := low*lowMean + (all-low)*highMean
		// Rounding may leave nothing within halves of equal values.
		within := max(squares-between, 1e-12*squares)
		if r := between / within; r > ratio {
			m, ratio = Modes{Low: mean + lowMean, High: mean + highMean}, r
		}
	}
	return m, ratio
}
