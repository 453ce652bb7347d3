package diagnose

import (
	"math"
	"testing"
)

// A verdict that its rule is surer of is said more surely, and what was counted is met.
func TestShare(t *testing.T) {
	for said, want := range map[float64]float64{0: 0, 0.05: 0.05, 0.5: 0.73, 0.6: 0.83, 0.82: 0.884, 0.9: 0.98, 1: 1} {
		if got := share(said); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %v, want %v", said, got, want)
		}
	}
	for said := 0.01; said <= 1; said += 0.01 {
		if share(said) <= share(said-0.01) {
			t.Errorf("%.2f is no surer than %.2f", said, said-0.01)
		}
	}
}
