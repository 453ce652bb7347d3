package main

import (
	"errors"
	"fmt"
	"math"

	"unchoke/internal/compare"
	"unchoke/internal/stats"
)

// outcome is what one comparison came to.
type outcome struct {
	blocks  int
	answer  compare.Answer
	missed  bool    // the interval does not hold the truth
	ratio   float64 // that was estimated
	cv      float64 // larger one of the arms'
	bimodal bool    // an arm is said to have two modes
	drift   bool    // an arm is said to drift
	failed  error
}

// tally counts outcomes of comparisons with one truth.
type tally struct {
	n, failed                  int
	different, faster          int
	equivalent, open, unstable int
	missed, bimodal, drift     int
	blocks, ratios, cvs        []float64
}

func count(outcomes []outcome) (t tally) {
	for _, o := range outcomes {
		if o.failed != nil {
			t.failed++
			continue
		}
		t.n++
		switch o.answer {
		case compare.Faster:
			t.faster++
			t.different++
		case compare.Slower:
			t.different++
		case compare.Equivalent:
			t.equivalent++
		case compare.Unclear:
			t.open++
		case compare.Unstable:
			t.unstable++
		}
		for flag, n := range map[*int]bool{&t.missed: o.missed, &t.bimodal: o.bimodal, &t.drift: o.drift} {
			if n {
				*flag++
			}
		}
		t.blocks = append(t.blocks, float64(o.blocks))
		t.ratios = append(t.ratios, o.ratio)
		t.cvs = append(t.cvs, o.cv)
	}
	return t
}

func (t tally) share(k int) float64 { return float64(k) / float64(t.n) }

// within is a share with its interval: 4.1 % [3.5–4.8].
func (t tally) within(k int) string {
	i := stats.Binomial(int64(k), int64(t.n), 0.95)
	return fmt.Sprintf("%.1f %% [%.1f–%.1f]", 100*t.share(k), 100*i.Low, 100*i.High)
}

func (t tally) percent(k int) string { return fmt.Sprintf("%.0f %%", 100*t.share(k)) }

// meanRatio is the geometric mean of the ratios with its standard error, as a
// ratio too.
func (t tally) meanRatio() (mean, errorRatio float64) {
	logs := make([]float64, len(t.ratios))
	for i, r := range t.ratios {
		logs[i] = math.Log(r)
	}
	return math.Exp(stats.Mean(logs)), stats.SD(logs) / math.Sqrt(float64(len(logs)))
}

// judgeSame says which target equal arms miss, if any. One that ends with a
// difference is no miss, however few there are: that is what 5 % are.
func (t tally) judgeSame(what string) error {
	if t.n > 0 && t.different <= max(1, int(mostFalse*float64(t.n))) {
		return nil
	}
	return fmt.Errorf("%s: %d of %d comparisons of equal arms end with a difference, more than %.0f %%", what, t.different, t.n, 100*mostFalse)
}

// judgeDifferent says which target a true ratio misses, if any.
func (t tally) judgeDifferent(what string) error {
	var missed []error
	if !(t.share(t.faster) >= leastFound) {
		missed = append(missed, fmt.Errorf("%s: a ratio of %v is found in %d of %d, fewer than %.0f %%", what, trueRatio, t.faster, t.n, 100*leastFound))
	}
	if m := stats.Median(t.blocks); !(m <= mostBlocks) {
		missed = append(missed, fmt.Errorf("%s: finding a ratio of %v takes %v blocks, more than %d", what, trueRatio, m, mostBlocks))
	}
	return errors.Join(missed...)
}
