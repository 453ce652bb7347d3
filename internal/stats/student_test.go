package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The wanted values are those of R 4: qt(0.975, df) and qt(0.995, df).
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ freedom, at95, at99 float64 }{
		{1, 12.706205, 63.656741},
		{2, 4.302653, 9.924843},
		{4, 2.776445, 4.604095},
		{9, 2.262157, 3.249836},
		{30, 2.042272, 2.749996},
		{1000, 1.962339, 2.580755},
	} {
		near(t, "t at 95 %", StudentQuantile(0.95, c.freedom), c.at95, 1e-5)
		near(t, "t at 99 %", StudentQuantile(0.99, c.freedom), c.at99, 1e-5)
	}
}

// The interval covers the truth as often as it promises.
func TestMeanIntervalCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials, n = 20_000, 5
	covered := 0
	for range trials {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = 7 + 3*random.NormFloat64()
		}
		if MeanInterval(xs, 0.95).Contains(7) {
			covered++
		}
	}
	// Five standard deviations of a binomial share.
	near(t, "coverage", float64(covered)/trials, 0.95, 5*math.Sqrt(0.95*0.05/trials))
}

func TestMeanIntervalOfOne(t *testing.T) {
	if got := MeanInterval([]float64{3}, 0.95); !math.IsInf(got.Low, -1) || !math.IsInf(got.High, 1) {
		t.Errorf("one value: %v, want everything", got)
	}
}
