package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"unchoke/internal/stats"
)

// The middle of what unlike noise gives blocks is the ratio that is asked for,
// although their mean is another where the noise is lopsided.
func TestUnlike(t *testing.T) {
	lopsided := 0
	for _, n := range unlike {
		var logs []float64
		for _, rates := range slots(n, rand.New(rand.NewPCG(1, 1)), 20_000, 2, trueRatio/n.middle()) {
			logs = append(logs, math.Log(rates[1]/rates[0]/trueRatio))
		}
		if m := stats.Median(logs); math.Abs(m) > 0.015 {
			t.Errorf("%s: the median ratio is off by a factor of %g", n.name, math.Exp(m))
		}
		if math.Abs(stats.Mean(logs)) > 0.05 {
			lopsided++
		}
	}
	if want := len(unlike) - 1; lopsided != want { // the first is even
		t.Errorf("%d of the noises are lopsided, want %d", lopsided, want)
	}
	if got := noises[0].middle(); got != 1 {
		t.Errorf("of like noise the middle is %g", got)
	}
}
