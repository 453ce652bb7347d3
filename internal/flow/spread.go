package flow

import (
	"math"

	"unchoke/internal/stats"
)

// Spread summarises a set of times, in seconds.
type Spread struct {
	N                   int
	Low, Mid, High, Dev float64 // 5th percentile, median, 95th, standard deviation
}

// SpreadOf summarises times; the zero value where there are none.
func SpreadOf(x []float64) Spread {
	if len(x) == 0 {
		return Spread{}
	}
	q := stats.Quantiles(x, 0.05, 0.5, 0.95)
	s := Spread{N: len(x), Low: q[0], Mid: q[1], High: q[2]}
	if s.N > 1 {
		s.Dev = stats.SD(x)
	}
	return s
}

// Or is the spread itself, or the other where it is empty.
func (s Spread) Or(other Spread) Spread {
	if s.N > 0 {
		return s
	}
	return other
}

// Noise is the standard error of the median, 1.253·σ/√n for a normal
// distribution.
func (s Spread) Noise() float64 {
	if s.N == 0 {
		return 0
	}
	return 1.253 * s.Dev / math.Sqrt(float64(s.N))
}
