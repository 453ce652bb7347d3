package theory

import (
	"math"
	"testing"
)

// RFC 9438 §5.1, table 2: what CUBIC holds at an RTT of 100 ms, in segments.
func TestCubicWindow(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{
		{1e-2, 12}, {1e-3, 38}, {1e-4, 187}, {1e-5, 1054}, {1e-6, 5926},
	} {
		if got := CubicWindow(0.1, c.p); math.Abs(got/c.want-1) > 0.05 {
			t.Errorf("p = %g: %.1f segments, RFC 9438 has %g", c.p, got, c.want)
		}
	}
}

func TestCubicRate(t *testing.T) {
	// 38.7 segments of 1448 bytes a round trip of 100 ms.
	if got := CubicRate(0.1, 1e-3, 1448); math.Abs(got/4.486e6-1) > 0.001 {
		t.Errorf("CubicRate = %.4g bit/s", got)
	}
	for _, c := range [][2]float64{{0, 0.01}, {0.1, 0}, {-1, 0.01}} {
		if got := CubicRate(c[0], c[1], 1448); !math.IsInf(got, 1) {
			t.Errorf("CubicRate(%v) = %v", c, got)
		}
	}
}

// What loss a rate tells of is the inverse of the rate that a loss leaves, where CUBIC
// grows by its cube and where it grows as Reno does.
func TestCubicLoss(t *testing.T) {
	for _, rtt := range []float64{0.002, 0.03, 0.3} {
		for _, p := range []float64{1e-6, 1e-4, 0.01, 0.2} {
			if got := CubicLoss(rtt, CubicRate(rtt, p, 1448), 1448); math.Abs(got/p-1) > 1e-6 {
				t.Errorf("%g s: %g of a loss of %g", rtt, got, p)
			}
		}
	}
	for _, c := range [][2]float64{{0, 1e6}, {0.1, 0}, {0.1, 1}} {
		if got := CubicLoss(c[0], c[1], 1448); got != 1 {
			t.Errorf("CubicLoss(%v) = %g", c, got)
		}
	}
}

// One loss in so many seconds is a share of what is sent meanwhile: both formulas must say
// the same of it, where CUBIC grows by its cube and where it grows as Reno does.
func TestCubicEvery(t *testing.T) {
	for _, c := range []struct{ rtt, every float64 }{{0.1, 20}, {0.3, 5}, {0.01, 2}, {0.05, 4}} {
		rate := CubicEvery(c.rtt, c.every, 1448)
		p := 8 * 1448 / (rate * c.every)
		if again := CubicRate(c.rtt, p, 1448); math.Abs(again/rate-1) > 0.06 {
			t.Errorf("every %v s at %v s: %.4g bit/s, and by the share that is lost %.4g", c.every, c.rtt, rate, again)
		}
	}
	for _, c := range [][2]float64{{0, 4}, {0.1, math.Inf(1)}} {
		if got := CubicEvery(c[0], c[1], 1448); !math.IsInf(got, 1) {
			t.Errorf("CubicEvery(%v) = %v", c, got)
		}
	}
}

func TestBBRRate(t *testing.T) {
	if got := BBRRate(100e6, 0.05); math.Abs(got-95e6) > 1 {
		t.Errorf("BBRRate = %v", got)
	}
}
