package twin

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The interval of two or four quick trials holds nine of ten further values that lie as far
// apart as other checks told, and not many more; what the values span holds far fewer.
func TestFewValuesHoldNineOfTen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rounds = 20_000
	for _, n := range []int{2, 4} {
		held, within := 0, 0
		for range rounds {
			// A spread that is itself drawn as the known one has it: an inverse chi-square.
			chi := r.ExpFloat64() * 2
			spread := knownSpread * math.Sqrt(knownValues/chi)
			values := make([]float64, n)
			for i := range values {
				values[i] = 1e6 * math.Exp(spread*r.NormFloat64())
			}
			next := 1e6 * math.Exp(spread*r.NormFloat64())
			few, all := ofFew(values), spanned(values)
			if next > few.low*off && next < few.high/off {
				held++
			}
			if next > all.low*off && next < all.high/off {
				within++
			}
		}
		if share := float64(held) / rounds; share < 0.88 || share > 0.92 {
			t.Errorf("intervals of %d values hold %.3f", n, share)
		}
		if share := float64(within) / rounds; share > 0.65 {
			t.Errorf("what %d values span holds %.3f", n, share)
		}
	}
}

// Values that agree by chance do not make an interval without width, and one alone has one.
func TestFewValuesThatAgree(t *testing.T) {
	for _, values := range [][]float64{{1e6}, {1e6, 1e6}, {1e6, 1e6, 1e6, 1e6}} {
		if x := ofFew(values); !(x.low < 0.8e6 && x.high > 1.25e6 && x.high < 2e6 && math.Abs(x.middle/1e6-1) < 1e-9) {
			t.Errorf("of %d values: %+v", len(values), x)
		}
	}
}

// The interval of a quick prediction's rate is that of few values, the gain's what they span.
func TestQuickPrediction(t *testing.T) {
	p := Panel{Measured: 1e6, Quick: true}
	rates := []float64{1e6, 1.05e6}
	quick := p.Predict(Arm{}, carrying(rates...), carrying(rates...), nil)
	if want := ofFew(rates); quick.Low != want.low || quick.High != want.high {
		t.Errorf("from %g to %g, want %+v", quick.Low, quick.High, want)
	}
	p.Quick = false
	if full := p.Predict(Arm{}, carrying(rates...), carrying(rates...), nil); full.Low <= quick.Low || full.High >= quick.High || full.GainLow != quick.GainLow {
		t.Errorf("full %+v, quick %+v", full, quick)
	}
}
