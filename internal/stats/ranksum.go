package stats

import (
	"math"
	"slices"
)

// RankSum is the two-sided p of the exact Wilcoxon–Mann–Whitney test of xs
// against ys, by counting the ways to deal the values out (midranks where some
// are equal); 1 without values. It is for small samples: the work grows with
// the square of their number.
func RankSum(xs, ys []float64) float64 {
	n, m := len(xs), len(ys)
	if n == 0 || m == 0 {
		return 1
	}
	both := append(slices.Clone(xs), ys...)
	slices.Sort(both)
	// Twice the midrank is a whole number.
	rank := func(x float64) int {
		low, _ := slices.BinarySearch(both, x)
		high := low
		for high < len(both) && both[high] == x {
			high++
		}
		return low + high + 1
	}
	sum := 0
	for _, x := range xs {
		sum += rank(x)
	}
	// ways[k][s] is in how many ways k of the values have ranks that add up to s.
	most := 0
	ranks := make([]int, len(both))
	for i, x := range both {
		ranks[i] = rank(x)
		most += ranks[i]
	}
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, n); k > 0; k-- {
			for s := most; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	total, below, above := 0.0, 0.0, 0.0
	for s, w := range ways[n] {
		total += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return min(1, 2*min(below, above)/total)
}

// Shift is the Hodges–Lehmann estimate of how much higher ys are than xs, with
// the exact interval that belongs to the rank-sum test (Hollander and Wolfe,
// Nonparametric Statistical Methods, §4.3). The interval has no bounds where
// there are too few values for the confidence.
func Shift(xs, ys []float64, confidence float64) (estimate float64, i Interval) {
	i = Interval{Low: math.Inf(-1), High: math.Inf(1)}
	n, m := len(xs), len(ys)
	if n == 0 || m == 0 {
		return math.NaN(), i
	}
	var all []float64
	for _, x := range xs {
		for _, y := range ys {
			all = append(all, y-x)
		}
	}
	slices.Sort(all)
	estimate = Median(all)
	// counts[u] is in how many orders u of the differences are negative.
	counts := mannWhitney(n, m)
	total := 0.0
	for _, c := range counts {
		total += c
	}
	tail, cut := 0.0, 0
	for u, c := range counts {
		tail += c
		if tail/total > (1-confidence)/2 {
			break
		}
		cut = u + 1
	}
	if cut > 0 {
		i = Interval{Low: all[cut-1], High: all[len(all)-cut]}
	}
	return estimate, i
}

// mannWhitney counts the orders of n and m distinct values by their U.
func mannWhitney(n, m int) []float64 {
	// counts[j][u] for i values of the first kind, built up one at a time.
	counts := make([][]float64, m+1)
	for j := range counts {
		counts[j] = make([]float64, n*m+1)
		counts[j][0] = 1
	}
	for range n {
		next := make([][]float64, m+1)
		for j := range next {
			next[j] = make([]float64, n*m+1)
			for u := range next[j] {
				if u >= j {
					next[j][u] += counts[j][u-j]
				}
				if j > 0 {
					next[j][u] += next[j-1][u]
				}
			}
		}
		counts = next
	}
	return counts[m]
}
