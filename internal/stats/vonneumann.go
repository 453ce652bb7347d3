package stats

import "math"

// VonNeumann is the ratio of the mean square of successive differences to the
// variance: 2 for independent values, near 0 for a slow movement, and 2 where
// nothing varies. J. von Neumann, "Distribution of the Ratio of the Mean Square
// Successive Difference to the Variance", Ann. Math. Statist. 12 (1941).
func VonNeumann(x []float64) float64 {
	mean := Mean(x)
	var steps, squares float64
	for i, v := range x {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			steps += (v - x[i-1]) * (v - x[i-1])
		}
	}
	if squares == 0 {
		return 2
	}
	return steps / squares
}

// VonNeumannDeviation is the standard deviation of that ratio for n independent
// values (the same paper).
func VonNeumannDeviation(n int) float64 {
	return 2 * math.Sqrt(float64(n-2)/float64(n*n-1))
}
