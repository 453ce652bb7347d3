package vantage

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Places that are one are called different in fewer than 5 of 100 comparisons,
// whatever the scatter; places a factor of two apart are told apart where the
// scatter is a tenth.
func TestBelow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(middle, sd float64) Figure {
		values := make([]float64, 2)
		for i := range values {
			values[i] = middle * math.Exp(sd*random.NormFloat64())
		}
		return figureOf(values)
	}
	const trials = 4000
	for _, sd := range []float64{0.01, 0.1, 0.3, 1} {
		wrong := 0
		for range trials {
			a, b, c := draw(1e8, sd), draw(1e8, sd), draw(1e8, sd)
			if yes, _ := scatterOf([]Figure{a, b, c}).below(a, b); yes {
				wrong++
			}
		}
		if share := float64(wrong) / trials; share > 0.05 {
			t.Errorf("scatter %v: %.3f are wrong", sd, share)
		}
	}
	right := 0
	for range trials {
		a, b, c := draw(1e8, 0.1), draw(2e8, 0.1), draw(2e8, 0.1)
		if yes, _ := scatterOf([]Figure{a, b, c}).below(a, b); yes {
			right++
		}
	}
	if share := float64(right) / trials; share < 0.9 {
		t.Errorf("%.3f of the differences are seen", share)
	}
}

func TestBelowOfOneRound(t *testing.T) {
	one := func(v float64) Figure { return figureOf([]float64{v}) }
	if yes, _ := scatterOf(nil).below(one(1), one(1.9)); yes {
		t.Error("a factor of 1.9 between single rounds counts")
	}
	if yes, c := scatterOf(nil).below(one(1), one(2.1)); !yes || c != onceOnly {
		t.Errorf("a factor of 2.1: %v, %v", yes, c)
	}
	if yes, _ := scatterOf(nil).below(Figure{}, one(1)); yes {
		t.Error("nothing is below something")
	}
}
