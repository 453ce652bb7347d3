package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// p-values and intervals as R's wilcox.test(exact=TRUE, conf.int=TRUE) and
// tables of the statistic have them.
func TestRankSum(t *testing.T) {
	for _, c := range []struct {
		xs, ys []float64
		p      float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{[]float64{5, 6, 7, 8}, []float64{1, 2, 3, 4}, 2.0 / 70},
		{[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8, 9, 10, 11, 12}, 2.0 / 495},
		{[]float64{1, 3}, []float64{2, 4}, 2.0 / 3},
		{[]float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{nil, []float64{1}, 1},
	} {
		if got := RankSum(c.xs, c.ys); math.Abs(got-c.p) > 1e-12 {
			t.Errorf("%v, %v: %g, want %g", c.xs, c.ys, got, c.p)
		}
	}
}

// mannWhitney's counts add up to n+m over n, and are symmetrical.
func TestMannWhitney(t *testing.T) {
	got := mannWhitney(4, 4)
	sum := 0.0
	for u, c := range got {
		sum += c
		if c != got[len(got)-1-u] {
			t.Errorf("U %d: %g and %g", u, c, got[len(got)-1-u])
		}
	}
	if sum != 70 || got[0] != 1 || got[1] != 1 || got[2] != 2 {
		t.Errorf("%v, sum %g", got, sum)
	}
}

func TestShift(t *testing.T) {
	e, i := Shift([]float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}, 0.95)
	if e != 10 || i.Low != 7 || i.High != 13 {
		t.Error(e, i)
	}
	if _, i := Shift([]float64{1, 2}, []float64{3, 4}, 0.95); i.Bounded() {
		t.Errorf("two and two give %v", i)
	}
}

// The interval covers the truth as often as it says, and the test rejects what
// is true as rarely.
func TestShiftCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	covered, rejected := 0, 0
	const tries = 4000
	for range tries {
		xs, ys := make([]float64, 4), make([]float64, 6)
		for i := range xs {
			xs[i] = random.NormFloat64()
		}
		for i := range ys {
			ys[i] = random.NormFloat64() + 1
		}
		if _, i := Shift(xs, ys, 0.95); i.Contains(1) {
			covered++
		}
		for i := range ys {
			ys[i]--
		}
		if RankSum(xs, ys) <= 0.05 {
			rejected++
		}
	}
	if covered < 0.945*tries {
		t.Errorf("covered %d of %d", covered, tries)
	}
	if rejected > 0.055*tries {
		t.Errorf("rejected %d of %d", rejected, tries)
	}
}
