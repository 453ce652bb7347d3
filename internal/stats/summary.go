// Package stats summarises samples and says how sure a figure is. It is pure:
// no I/O, no clock, and no randomness but what it is given.
//
// A summary of no values at all is NaN, as is the spread of a single one.
package stats

import (
	"math"
	"slices"
	"sort"
)

// Mean is the arithmetic mean.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// SD is the sample standard deviation, with n−1 in the denominator.
func SD(xs []float64) float64 {
	if len(xs) < 2 {
		return math.NaN()
	}
	mean, sum := Mean(xs), 0.0
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(xs)-1))
}

// Median is the middle value, or the mean of the middle two.
func Median(xs []float64) float64 { return Quantile(xs, 0.5) }

// Quantile is the value below which a share q of the sample lies, 0 ≤ q ≤ 1,
// linear between the order statistics: definition 7 of Hyndman and Fan,
// "Sample Quantiles in Statistical Packages" (1996), as in R and NumPy.
func Quantile(xs []float64, q float64) float64 { return Quantiles(xs, q)[0] }

// Quantiles are Quantile of several shares of one sample, which is sorted once.
func Quantiles(xs []float64, qs ...float64) []float64 {
	sorted, out := Sorted(xs), make([]float64, len(qs))
	for i, q := range qs {
		out[i] = math.NaN()
		if len(xs) > 0 && q >= 0 && q <= 1 {
			out[i] = quantile(sorted, q)
		}
	}
	return out
}

// Sorted is a sorted copy, NaNs first: as of slices.Sort, but in code that is
// there for values of all kinds.
func Sorted(xs []float64) []float64 {
	out := slices.Clone(xs)
	sort.Sort(sort.Float64Slice(out)) //lint:ignore S1032 sort.Float64s is slices.Sort, compiled for float64 alone
	return out
}

// quantile is Quantile of a sorted sample of at least one value.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i == len(sorted)-1 || at == float64(i) || sorted[i] == sorted[i+1] {
		return sorted[i] // also beside an infinity, or between two
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Clamp is x, or the end of the range beyond which it lies.
func Clamp(x, low, high float64) float64 { return min(max(x, low), high) }
