package analysis

import "math"

// falling is the non-increasing sequence that is nearest to ys by weighted
// least squares: the pool-adjacent-violators algorithm, Ayer and others, "An
// Empirical Distribution Function for Sampling with Incomplete Information"
// (1955).
func falling(ys, weights []float64) []float64 {
	type block struct {
		mean, weight float64
		size         int
	}
	var blocks []block
	for i, y := range ys {
		b := block{y, weights[i], 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].mean < b.mean {
			prior := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			weight := prior.weight + b.weight
			b = block{(prior.mean*prior.weight + b.mean*b.weight) / weight, weight, prior.size + b.size}
		}
		blocks = append(blocks, b)
	}
	fit := make([]float64, 0, len(ys))
	for _, b := range blocks {
		for range b.size {
			fit = append(fit, b.mean)
		}
	}
	return fit
}

// crossing is where a falling fit passes a threshold: between levels i−1 and
// i, at x. Between two levels it is a straight line, over log x where asked
// and possible, bent by a power: 1 leaves it straight. i is len(fit) and x infinite where the fit stays above, and 0
// where it begins below.
func crossing(xs, fit []float64, threshold float64, logX bool, bend float64) (i int, x float64) {
	for i = 0; i < len(fit) && fit[i] >= threshold; i++ {
	}
	switch {
	case i == len(fit):
		return i, math.Inf(1)
	case i == 0:
		return 0, xs[0]
	}
	t := math.Pow((fit[i-1]-threshold)/(fit[i-1]-fit[i]), bend)
	if a, b := xs[i-1], xs[i]; logX && a > 0 {
		return i, a * math.Pow(b/a, t)
	}
	a, b := xs[i-1], xs[i]
	return i, a + t*(b-a)
}
