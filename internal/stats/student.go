package stats

import "math"

// MeanInterval is the interval that holds the mean of what the values were
// drawn from with the given confidence: Student, "The Probable Error of a
// Mean" (1908). It supposes values near enough to a normal distribution; the
// more values, the less that matters. One value or none tells nothing.
func MeanInterval(xs []float64, confidence float64) Interval {
	if len(xs) < 2 {
		return Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	mean, n := Mean(xs), float64(len(xs))
	half := StudentQuantile(confidence, n-1) * SD(xs) / math.Sqrt(n)
	return Interval{Low: mean - half, High: mean + half}
}

// StudentQuantile is the t that a variable of Student's distribution with so
// many degrees of freedom exceeds in neither direction with the given
// probability: P(|T| > t) = I_x(ν/2, ½) with x = ν/(ν + t²), Abramowitz and
// Stegun 26.7.1.
func StudentQuantile(probability, freedom float64) float64 {
	x := solve(func(x float64) bool { return regularizedBeta(x, freedom/2, 0.5) >= 1-probability })
	return math.Sqrt(freedom * (1 - x) / x)
}
