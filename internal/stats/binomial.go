package stats

import "math"

// Binomial is the interval that holds, with at least the given confidence,
// the probability of an event seen k times in n trials. It is exact for every
// k and n, and so never too narrow near 0 and 1 where packet loss lives:
// Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated
// in the Case of the Binomial" (1934). No trials tell nothing: [0, 1]. A count that a
// damaged record has below 0 or above n is the nearest that can be.
func Binomial(k, n int64, confidence float64) Interval {
	return Interval{Low: BinomialLow(k, n, confidence), High: BinomialHigh(k, n, confidence)}
}

// BinomialLow is the lower end of Binomial's interval alone.
func BinomialLow(k, n int64, confidence float64) float64 {
	if min(k, n) <= 0 {
		return 0
	}
	return solve(func(p float64) bool { return !BinomialAbove(k, n, confidence, p) })
}

// BinomialAbove says that the interval lies above p as a whole, for a sixtieth of
// what it takes to find its ends.
func BinomialAbove(k, n int64, confidence, p float64) bool {
	k = min(k, n)
	// P(X ≥ k | n, p) = I_p(k, n−k+1) grows with p.
	return k > 0 && regularizedBeta(p, float64(k), float64(n-k+1)) < (1-confidence)/2
}

// BinomialHigh is the upper end of Binomial's interval alone.
func BinomialHigh(k, n int64, confidence float64) float64 {
	if k >= n {
		return 1
	}
	k = max(k, 0)
	// P(X ≤ k | n, p) = 1 − I_p(k+1, n−k) falls with p.
	return solve(func(p float64) bool { return regularizedBeta(p, float64(k+1), float64(n-k)) >= 1-(1-confidence)/2 })
}

// solve is the least p in [0, 1] for which reached is true. Sixty halvings
// leave less than a float64 near 1 can tell.
func solve(reached func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		mid := (low + high) / 2
		if reached(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// All is how probable it is that n independent things all happen, each with a
// probability; 1 of none. It is math.Pow without what that knows of negative numbers.
func All(n int64, each float64) float64 {
	if n == 0 {
		return 1
	}
	return math.Exp(float64(n) * math.Log(each))
}

// regularizedBeta is the regularized incomplete beta function I_x(a, b), for
// positive a and b.
func regularizedBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	// The continued fraction converges fast below the distribution's mode;
	// above it the symmetry I_x(a, b) = 1 − I_{1−x}(b, a) does (DLMF 8.17.4).
	if x > (a+1)/(a+b+2) {
		return 1 - regularizedBeta(1-x, b, a)
	}
	front := math.Exp(logGamma(a+b)-logGamma(a)-logGamma(b)+a*math.Log(x)+b*math.Log(1-x)) / a
	return front / betaFraction(x, a, b)
}

// logGamma is ln Γ(x) of a positive x, by Stirling's series (DLMF 5.11.1).
// math.Lgamma also knows negative x, for which it brings sines.
func logGamma(x float64) float64 {
	below := 1.0 // Γ(x) = Γ(x+n) / (x (x+1) … (x+n−1))
	for ; x < 16; x++ {
		below *= x
	}
	z := 1 / (x * x)
	series := (1.0/12 - z*(1.0/360-z*(1.0/1260-z*(1.0/1680-z/1188)))) / x
	return (x-0.5)*math.Log(x) - x + math.Log(2*math.Pi)/2 + series - math.Log(below)
}

// betaFraction evaluates the continued fraction 1 + d₁/(1 + d₂/(1 + …)) of
// DLMF 8.17.22 from the front, by the modified Lentz method.
func betaFraction(x, a, b float64) float64 {
	const (
		tiny      = 1e-300 // stands for a zero denominator
		precision = 1e-14
		// The fraction needs about √max(a, b) terms: enough for 10¹⁰ trials.
		maxTerms = 200_000
	)
	f, c, d := 1.0, 1.0, 0.0
	for j := 1; j <= maxTerms; j++ {
		m := float64(j / 2)
		var term float64
		if j%2 == 0 {
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		} else {
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonzero(1+term*d, tiny)
		c = nonzero(1+term/c, tiny)
		f *= c * d
		if math.Abs(c*d-1) < precision {
			break
		}
	}
	return f
}

func nonzero(x, tiny float64) float64 {
	if x == 0 {
		return tiny
	}
	return x
}

// RuleOfThree is how many events there would have been of a share of which none was seen
// in as many trials, with 95 %: e^−3 is 5 % (Hanley and Lippman-Hand, "If Nothing Goes
// Wrong, Is Everything All Right?", 1983).
const RuleOfThree = 3
