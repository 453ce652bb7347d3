package stats

import (
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

func TestSummary(t *testing.T) {
	xs := []float64{9, 2, 4, 4, 5, 4, 7, 5}
	before := slices.Clone(xs)
	near(t, "Mean", Mean(xs), 5, 0)
	near(t, "SD", SD(xs), math.Sqrt(32.0/7), 1e-15)
	near(t, "Median", Median(xs), 4.5, 0)
	near(t, "Median of three", Median([]float64{3, 1, 2}), 2, 0)
	if !slices.Equal(xs, before) {
		t.Errorf("the sample was reordered: %v", xs)
	}
}

// The wanted values are those of R 4: quantile(c(1, 2, 4, 8), q, type = 7).
func TestQuantile(t *testing.T) {
	xs := []float64{8, 1, 4, 2}
	for q, want := range map[float64]float64{0: 1, 0.1: 1.3, 0.25: 1.75, 0.5: 3, 0.75: 5, 0.95: 7.4, 1: 8} {
		near(t, "Quantile", Quantile(xs, q), want, 1e-12)
	}
}

// An infinity is as far as any value, and no reason to know nothing.
func TestQuantileBesideInfinity(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		xs   []float64
		want float64
	}{
		{[]float64{1, 2, inf}, 2},
		{[]float64{1, inf, inf}, inf},
		{[]float64{1, 2, inf, inf}, inf},
		{[]float64{inf, inf}, inf},
	} {
		if got := Median(c.xs); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.xs, got, c.want)
		}
	}
}

func TestNothingToSummarise(t *testing.T) {
	for what, got := range map[string]float64{
		"Mean of none":     Mean(nil),
		"SD of one":        SD([]float64{1}),
		"Median of none":   Median(nil),
		"Quantile below 0": Quantile([]float64{1, 2}, -0.1),
		"Quantile above 1": Quantile([]float64{1, 2}, 1.1),
		"Quantile at NaN":  Quantile([]float64{1, 2}, math.NaN()),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", what, got)
		}
	}
}
