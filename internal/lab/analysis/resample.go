package analysis

import (
	"math"
	"math/rand/v2"
	"slices"

	"unchoke/internal/stats"
)

// replicas is how often a bootstrap resamples: enough that the ends of a 95 %
// interval have 50 replicas beyond them.
const replicas = 2000

// student975 is the 97.5 % quantile of Student's t with so many degrees of
// freedom. Up to 10 it is tabulated; beyond, the expansion of Cornish and
// Fisher in 1/ν (Abramowitz and Stegun 26.7.5) is right in four digits.
func student975(freedom int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	if freedom < 1 {
		return math.NaN()
	}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	const z, z3 = normal975, normal975 * normal975 * normal975
	const z5, z7 = z3 * z * z, z3 * z3 * z
	v := float64(freedom)
	return z + (z3+z)/(4*v) + (5*z5+16*z3+3*z)/(96*v*v) + (3*z7+19*z5+17*z3-15*z)/(384*v*v*v)
}

const normal975 = 1.959964

// logMeans draws replicas of the logarithm of a sample's mean. A bootstrap of
// few values is too narrow: each replica's deviation is stretched by
// √(n/(n−1))·t/z, the "expanded percentile" of Hesterberg, "What Teachers
// Should Know about the Bootstrap" (2015), §4.2.
type logMeans struct {
	xs      []float64
	log     float64 // of the mean
	stretch float64
}

func newLogMeans(xs []float64) logMeans {
	n := float64(len(xs))
	l := logMeans{xs: xs, log: math.Log(stats.Mean(xs))}
	if n > 1 {
		l.stretch = math.Sqrt(n/(n-1)) * student975(len(xs)-1) / normal975
	}
	return l
}

// draw is one replica.
func (l logMeans) draw(random *rand.Rand) float64 {
	sum := 0.0
	for range l.xs {
		sum += l.xs[random.IntN(len(l.xs))]
	}
	return l.replica(sum)
}

// replica is the replica of a resampled sum. A resample of stalled runs alone
// has no logarithm: it counts as the least that a float64 holds.
func (l logMeans) replica(sum float64) float64 {
	log := math.Log(max(sum/float64(len(l.xs)), math.SmallestNonzeroFloat64))
	return l.log + l.stretch*(log-l.log)
}

// middle95 is the interval that 95 % of the replicas are in.
func middle95(replicas []float64) stats.Interval {
	sorted := slices.Sorted(slices.Values(replicas))
	last := float64(len(sorted) - 1)
	return stats.Interval{Low: sorted[int(0.025*last)], High: sorted[int(math.Ceil(0.975*last))]}
}

// newRandom is where a bootstrap's randomness comes from: the same for the
// same study.
func newRandom(stream int) *rand.Rand { return rand.New(rand.NewPCG(9438, uint64(stream))) }
