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

// confidence is that of every interval.
const confidence = 0.95

// normal is the quantile that a standard normal variable exceeds in neither
// direction with that confidence.
const normal = 1.959964

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
	l := logMeans{xs: xs, log: logOf(stats.Mean(xs))}
	if n > 1 {
		l.stretch = math.Sqrt(n/(n-1)) * stats.StudentQuantile(confidence, n-1) / normal
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

// replica is the replica of a resampled sum.
func (l logMeans) replica(sum float64) float64 {
	return l.log + l.stretch*(logOf(sum/float64(len(l.xs)))-l.log)
}

// logOf is the logarithm of a mean. That of stalled runs alone has none: it counts as
// the least that a float64 holds.
func logOf(mean float64) float64 { return math.Log(max(mean, math.SmallestNonzeroFloat64)) }

// middle95 is the interval that 95 % of the replicas are in.
func middle95(replicas []float64) stats.Interval {
	sorted := slices.Sorted(slices.Values(replicas))
	last := float64(len(sorted) - 1)
	return stats.Interval{Low: sorted[int(0.025*last)], High: sorted[int(math.Ceil(0.975*last))]}
}

// newRandom is where a bootstrap's randomness comes from: the same for the
// same study.
func newRandom(stream int) *rand.Rand { return rand.New(rand.NewPCG(9438, uint64(stream))) }
