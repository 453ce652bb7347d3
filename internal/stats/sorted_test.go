package stats

import (
	"math"
	"slices"
	"testing"
)

// Sorted orders as slices.Sort does, and leaves the sample as it is.
func TestSorted(t *testing.T) {
	sample := []float64{3, math.NaN(), -1, math.Inf(1), 0, 3, math.Inf(-1), 2}
	before := slices.Clone(sample)
	want := slices.Sorted(slices.Values(sample))
	equal := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if got := Sorted(sample); !slices.EqualFunc(got, want, equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if !slices.EqualFunc(sample, before, equal) {
		t.Errorf("the sample became %v", sample)
	}
}
