package stats

import (
	"math/rand/v2"
	"slices"
)

// resamples of a bootstrap: enough for the 2.5 % quantiles to stand within a
// few tenths of a per cent of their limits (Efron and Tibshirani, "An
// Introduction to the Bootstrap", 1993, §19).
const resamples = 2000

// BootstrapMedian is the percentile bootstrap interval of the median (Efron,
// "Bootstrap Methods: Another Look at the Jackknife", 1979). The same sample
// and seed give the same interval. For few values it may hold the median a
// little less often than promised: of eight normal ones 91 % instead of 95 %.
func BootstrapMedian(xs []float64, confidence float64, seed uint64) Interval {
	random := rand.New(rand.NewPCG(seed, uint64(len(xs))))
	medians := make([]float64, resamples)
	sample := make([]float64, len(xs))
	for i := range medians {
		for k := range sample {
			sample[k] = xs[random.IntN(len(xs))]
		}
		slices.Sort(sample)
		medians[i] = quantile(sample, 0.5)
	}
	tail := (1 - confidence) / 2
	return Interval{Low: Quantile(medians, tail), High: Quantile(medians, 1-tail)}
}
