package score

import "math"

// chance is the calibration error to be expected of confidences that hold: of few
// verdicts the share that is right differs from any confidence by chance.
func (s Score) chance() float64 {
	sum, n := 0.0, 0
	for _, b := range s.Bins {
		sum += apart(b.Right.Of, b.Mean)
		n += b.Right.Of
	}
	return sum / float64(max(n, 1))
}

// apart is how far the number of successes of n trials of probability p lies from
// n·p on average: the binomial distribution's mean absolute deviation,
// 2·m·C(n, m)·pᵐ·(1-p)ⁿ⁻ᵐ⁺¹ with m = ⌊n·p⌋ + 1 (de Moivre; Diaconis and Zabell,
// "Closed Form Summation for Classical Distributions", 1991).
func apart(n int, p float64) float64 {
	if n == 0 || p <= 0 || p >= 1 {
		return 0
	}
	m := math.Floor(float64(n)*p) + 1
	all, _ := math.Lgamma(float64(n) + 1)
	some, _ := math.Lgamma(m + 1)
	rest, _ := math.Lgamma(float64(n) - m + 1)
	return 2 * m * math.Exp(all-some-rest+m*math.Log(p)+(float64(n)-m+1)*math.Log(1-p))
}
