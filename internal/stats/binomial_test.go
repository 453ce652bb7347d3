package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// An interval's ends are where the binomial tails, summed term by term, hold
// half of what the confidence leaves out.
func TestBinomialAgainstSum(t *testing.T) {
	const confidence = 0.99
	for _, c := range []struct{ k, n int64 }{{1, 10}, {5, 10}, {9, 10}, {1, 1000}, {5, 1000}, {500, 1000}, {120, 20_000}} {
		got := Binomial(c.k, c.n, confidence)
		near(t, "upper tail at Low", 1-cdf(c.k-1, c.n, got.Low), 0.005, 1e-9)
		near(t, "lower tail at High", cdf(c.k, c.n, got.High), 0.005, 1e-9)
		if got.Low != BinomialLow(c.k, c.n, confidence) || got.High != BinomialHigh(c.k, c.n, confidence) {
			t.Errorf("%d of %d: %v, and its ends alone are others", c.k, c.n, got)
		}
		for _, p := range []float64{0, got.Low * (1 - 1e-9), got.Low * (1 + 1e-9), got.High, 1} {
			if above := BinomialAbove(c.k, c.n, confidence, p); above != (got.Low > p) {
				t.Errorf("%d of %d, of which %v: above %v is %v", c.k, c.n, got, p, above)
			}
		}
	}
}

// cdf is P(X ≤ k) of the binomial distribution.
func cdf(k, n int64, p float64) float64 {
	sum := 0.0
	for i := int64(0); i <= k; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// Where nothing or everything happened the interval has a closed form:
// 1 − (α/2)^(1/n).
func TestBinomialAtTheEnds(t *testing.T) {
	const confidence = 0.95
	for _, n := range []int64{1, 20, 1e6, 1e9} {
		bound := -math.Expm1(math.Log(0.025) / float64(n))
		none, every := Binomial(0, n, confidence), Binomial(n, n, confidence)
		near(t, "Low of none", none.Low, 0, 0)
		near(t, "High of none", none.High, bound, 1e-6*bound+1e-15)
		near(t, "Low of every", every.Low, 1-bound, 1e-12)
		near(t, "High of every", every.High, 1, 0)
	}
	if got := Binomial(0, 0, confidence); got != (Interval{0, 1}) {
		t.Errorf("no trials: %v, want all of [0, 1]", got)
	}
}

// Counts that cannot be, as a damaged record has them, are the nearest that can.
func TestBinomialOfImpossibleCounts(t *testing.T) {
	const confidence = 0.95
	for _, c := range []struct{ k, n, as, of int64 }{
		{-1 << 62, 100, 0, 100}, {200, 100, 100, 100}, {5, -1 << 62, 0, 0}, {-5, -7, 0, 0},
	} {
		got, want := Binomial(c.k, c.n, confidence), Binomial(c.as, c.of, confidence)
		if got != want {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, want)
		}
		if got, want := BinomialAbove(c.k, c.n, confidence, 0.5), BinomialAbove(c.as, c.of, confidence, 0.5); got != want {
			t.Errorf("%d of %d above one half: %v, want %v", c.k, c.n, got, want)
		}
	}
}

// The interval covers the truth at least as often as it promises.
func TestBinomialCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials, n, p, confidence = 2000, 400, 0.01, 0.9
	covered := 0
	for range trials {
		k := int64(0)
		for range n {
			if random.Float64() < p {
				k++
			}
		}
		if Binomial(k, n, confidence).Contains(p) {
			covered++
		}
	}
	if share := float64(covered) / trials; share < confidence {
		t.Errorf("covered the truth in %.3f of %d trials, want at least %v", share, trials, confidence)
	}
}

// The logarithm of Γ is that of the standard library, which knows more of it.
func TestLogGamma(t *testing.T) {
	for x := 1e-3; x < 1e10; x *= 1.3 {
		want, _ := math.Lgamma(x)
		near(t, fmt.Sprintf("ln Γ(%g)", x), logGamma(x), want, 1e-14*max(32, math.Abs(want)))
	}
}

// As math.Pow has it; of none, nothing is asked.
func TestAll(t *testing.T) {
	for _, c := range []struct {
		n    int64
		each float64
	}{{0, 0}, {0, 0.5}, {1, 0.5}, {3, 0.25}, {71, 0.9}, {5, 0}, {7, 1}} {
		if got, want := All(c.n, c.each), math.Pow(c.each, float64(c.n)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d of %g each: %g, want %g", c.n, c.each, got, want)
		}
	}
}
