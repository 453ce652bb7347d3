package main

import (
	"math"
	"math/rand/v2"

	"unchoke/internal/stats"
)

// unlike are paths on which the arms' noise differs in shape, so that more than
// a factor tells them apart: what the rule's interval takes for granted does
// not hold. The first has log-ratios that are symmetric all the same.
var unlike = []noise{
	{"lognormal, CV 30 %, against CV 1 %", uneven, false, calm},
	{"skewed to low rates, against CV 1 %", skewed, false, calm},
	{"CV 10 %, one trial in ten stalls to a tenth, against CV 1 %", independent(func(r *rand.Rand) float64 {
		return lognormal(0.1)*r.NormFloat64() + sometimes(r, 0.1, 0.1)
	}), false, calm},
	{"CV 1 %, one trial in five falls to 0.3, against CV 1 %", independent(func(r *rand.Rand) float64 {
		return lognormal(0.01)*r.NormFloat64() + sometimes(r, 0.2, 0.3)
	}), false, calm},
	{"CV 5 %, three trials in ten carry twice as much, against CV 1 %", independent(func(r *rand.Rand) float64 {
		return lognormal(0.05)*r.NormFloat64() + sometimes(r, 0.3, 2)
	}), false, calm},
}

var calm = independent(func(r *rand.Rand) float64 { return math.Log1p(0.01 * r.NormFloat64()) })

// sometimes is the logarithm of a factor, in a share of trials.
func sometimes(r *rand.Rand, share, factor float64) float64 {
	if r.Float64() < share {
		return math.Log(factor)
	}
	return 0
}

// middle is the median of the ratios that the noise alone gives blocks: 1 where
// both arms have the same. Elsewhere it is found from so many blocks that chance
// moves it by a tenth of a per cent or so.
func (n noise) middle() float64 {
	if n.other == nil {
		return 1
	}
	const blocks = 200_000
	ratios := make([]float64, blocks)
	for b, rates := range slots(n, rand.New(rand.NewPCG(0, 0)), blocks, 2, 1) {
		ratios[b] = rates[1] / rates[0]
	}
	return stats.Median(ratios)
}
