package stats

// TheilSen is the median of the slopes between all pairs of points: Sen,
// "Estimates of the Regression Coefficient Based on Kendall's Tau" (1968). Two
// sevenths of the points may be arbitrarily wrong. It is NaN where no two
// points differ in x.
func TheilSen(xs, ys []float64) float64 {
	var slopes []float64
	for i := range xs {
		for k := range i {
			if xs[i] != xs[k] {
				slopes = append(slopes, (ys[i]-ys[k])/(xs[i]-xs[k]))
			}
		}
	}
	return Median(slopes)
}

// MannKendall is the two-sided p of a trend in a series: the probability that
// chance puts the series in an order with at least as many more rises than
// falls (or falls than rises) among all its pairs. Mann, "Nonparametric Tests
// Against Trend" (1945); Kendall, "Rank Correlation Methods" (1948). It is
// exact where all values differ, and errs towards no trend where some are
// equal.
func MannKendall(ys []float64) float64 {
	n, score := len(ys), 0
	for i := range ys {
		for k := range i {
			switch {
			case ys[i] > ys[k]:
				score++
			case ys[i] < ys[k]:
				score--
			}
		}
	}
	// With d falls among the n(n−1)/2 pairs the score is n(n−1)/2 − 2d, and at
	// least |score| is reached by d up to this many.
	pairs := n * (n - 1) / 2
	most := (pairs - max(score, -score)) / 2
	// falls[d] is the probability of d falls: the i-th value falls below any
	// number of those before it with the same probability.
	falls := make([]float64, most+1)
	falls[0] = 1
	for i := 2; i <= n; i++ {
		next := make([]float64, most+1)
		for d := range next {
			for below := 0; below < i && below <= d; below++ {
				next[d] += falls[d-below] / float64(i)
			}
		}
		falls = next
	}
	p := 0.0
	for _, f := range falls {
		p += f
	}
	return min(1, 2*p)
}
