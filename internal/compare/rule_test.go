package compare

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unchoke/internal/stats"
)

// noise draws the log-rates of a path's slots, one after the other.
type noise func(r *rand.Rand) func() float64

var noises = map[string]noise{
	"normal": func(r *rand.Rand) func() float64 { return func() float64 { return 0.1 * r.NormFloat64() } },
	"heavy tailed": func(r *rand.Rand) func() float64 {
		return func() float64 { return 0.3 * r.NormFloat64() / math.Abs(r.NormFloat64()) }
	},
	"skewed": func(r *rand.Rand) func() float64 { return func() float64 { return -0.5 * r.ExpFloat64() } },
	"two modes": func(r *rand.Rand) func() float64 {
		return func() float64 { return math.Log(float64([]int{283, 4128}[r.IntN(2)])) + 0.2*r.NormFloat64() }
	},
	"autocorrelated": func(r *rand.Rand) func() float64 {
		x := 0.0
		return func() float64 { x = 0.9*x + 0.2*r.NormFloat64(); return x }
	},
	"drifting": func(r *rand.Rand) func() float64 {
		x := 0.0
		return func() float64 { x += 0.05; return x + 0.05*r.NormFloat64() }
	},
	"equal": func(*rand.Rand) func() float64 { return func() float64 { return 0 } },
}

// simulate draws the block ratios of two arms, the second ratio times as fast,
// that take turns in a comparison's order.
func simulate(r *rand.Rand, n noise, blocks int, ratio float64) []float64 {
	slot, seed := n(r), r.Uint64()
	ratios := make([]float64, blocks)
	for b := range ratios {
		logRate := [2]float64{1: math.Log(ratio)}
		for _, arm := range Order(seed, 2, b) {
			logRate[arm] += slot()
		}
		ratios[b] = math.Exp(logRate[1] - logRate[0])
	}
	return ratios
}

// Of equal arms at most one comparison in twenty ends with a difference,
// whatever the path's noise looks like. `make bench-ab` has more of them.
func TestRuleFalsePositives(t *testing.T) {
	const runs = 250
	for name, n := range noises {
		r := rand.New(rand.NewPCG(1, 1))
		rule := Rule{MaxBlocks: 12, Contrasts: 1, Margin: DefaultMargin}
		different := 0
		for range runs {
			ratios := simulate(r, n, rule.MaxBlocks, 1)
			if stop := rule.FirmAt(ratios); stop > 0 && rule.Judge(ratios[:stop]).Answer != Equivalent {
				different++
			}
		}
		// Three standard deviations above a twentieth.
		if most := 0.05*runs + 3*math.Sqrt(runs*0.05*0.95); float64(different) > most {
			t.Errorf("%s: %d of %d comparisons of equal arms end with a difference", name, different, runs)
		}
	}
}

func TestRulePower(t *testing.T) {
	const runs = 400
	r := rand.New(rand.NewPCG(1, 2))
	rule := Rule{MaxBlocks: DefaultMaxBlocks, Contrasts: 1, Margin: DefaultMargin}
	found := 0
	var stops []float64
	for range runs {
		ratios := simulate(r, noises["normal"], rule.MaxBlocks, 1.3)
		stop := rule.FirmAt(ratios)
		if stop > 0 && rule.Judge(ratios[:stop]).Answer == Faster {
			found++
		}
		stops = append(stops, float64(stop))
	}
	if found < 0.95*runs || stats.Median(stops) > 8 {
		t.Errorf("a ratio of 1.3 at a CV of 10 %% is found in %d of %d, after %v blocks", found, runs, stats.Median(stops))
	}
}

// The interval at the end holds the truth in 95 % of comparisons, although each
// of them chose when to end.
func TestRuleCoverage(t *testing.T) {
	const runs = 150
	for name, n := range map[string]noise{"normal": noises["normal"], "heavy tailed": noises["heavy tailed"]} {
		for _, truth := range []float64{1, 1.3} {
			r := rand.New(rand.NewPCG(2, 1))
			rule := Rule{MaxBlocks: 12, Contrasts: 1, Margin: DefaultMargin}
			missed := 0
			for range runs {
				ratios := simulate(r, n, rule.MaxBlocks, truth)
				if stop := rule.FirmAt(ratios); stop > 0 {
					ratios = ratios[:stop]
				}
				if !rule.Judge(ratios).Interval.Contains(truth) {
					missed++
				}
			}
			if most := 0.05*runs + 3*math.Sqrt(runs*0.05*0.95); float64(missed) > most {
				t.Errorf("%s: the interval misses a ratio of %v in %d of %d comparisons", name, truth, missed, runs)
			}
		}
	}
}

// Whatever the blocks, the answer, the interval and p say the same.
func TestJudgementIsCoherent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for i := range 600 {
		rule := Rule{MaxBlocks: 12, Contrasts: 1 + r.IntN(3), Margin: DefaultMargin}
		if r.IntN(3) == 0 {
			rule.Blocks = 1 + r.IntN(12)
		}
		names := slices.Sorted(maps.Keys(noises))
		ratios := simulate(r, noises[names[r.IntN(len(names))]], 1+r.IntN(12), math.Exp(0.5*r.NormFloat64()))
		j := rule.Judge(ratios)
		one := j.Interval.Contains(1)
		switch {
		case !j.Interval.Contains(j.Ratio):
			t.Errorf("%d: %+v: the ratio is outside of its interval", i, j)
		case one != (j.P >= ErrorRate):
			t.Errorf("%d: %+v: p and interval disagree", i, j)
		case j.Answer == Faster && j.Interval.Low <= 1,
			j.Answer == Slower && j.Interval.High >= 1,
			!j.Answer.Firm() && !one,
			j.Answer == Equivalent && (j.Interval.Low < 0.95 || j.Interval.High > 1.05),
			j.Answer == Unstable && j.Interval.High < 2*j.Interval.Low:
			t.Errorf("%d: %+v", i, j)
		}
	}
}

// Swapping arm and baseline inverts the ratio and its interval, and changes
// nothing else.
func TestSwapInverts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	turned := map[Answer]Answer{Faster: Slower, Slower: Faster, Equivalent: Equivalent, Unclear: Unclear, Unstable: Unstable}
	for range 200 {
		// An odd number of blocks: the median of an even one is a mean, which
		// does not invert.
		ratios := simulate(r, noises["normal"], 5+2*r.IntN(5), math.Exp(0.2*r.NormFloat64()))
		inverse := make([]float64, len(ratios))
		for i, x := range ratios {
			inverse[i] = 1 / x
		}
		rule := Rule{MaxBlocks: 15, Contrasts: 1, Margin: DefaultMargin}
		a, b := rule.Judge(ratios), rule.Judge(inverse)
		near := func(x, y float64) bool { return x == y || math.Abs(math.Log(x*y)) < 1e-9 }
		bounds := near(a.Interval.Low, b.Interval.High) && near(a.Interval.High, b.Interval.Low)
		if a.Interval.Bounded() && !bounds || !near(a.Ratio, b.Ratio) || a.P != b.P || turned[a.Answer] != b.Answer {
			t.Errorf("%+v and %+v", a, b)
		}
	}
}

// A change of heart in the middle of a run is not hidden behind an interval
// that excludes one half of it.
func TestRatioThatChanges(t *testing.T) {
	ratios := slices.Concat(slices.Repeat([]float64{1.3, 1.31, 1.29}, 3), slices.Repeat([]float64{0.5, 0.51}, 10))
	j := Rule{MaxBlocks: 30, Contrasts: 2, Margin: DefaultMargin}.Judge(ratios)
	if j.Answer.Firm() || !j.Interval.Contains(1.29) || !j.Interval.Contains(0.51) {
		t.Errorf("%+v", j)
	}
}

// With six blocks at least: five agreeing ones have a chance of 2/2⁵ = 6 %.
func TestFewBlocksAreNotEnough(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		want int
	}{
		{Rule{MaxBlocks: 30, Contrasts: 1}, 7},
		{Rule{MaxBlocks: 30, Contrasts: 2}, 8},
		{Rule{MaxBlocks: 30, Contrasts: 7}, 10},
		{Rule{MaxBlocks: 6, Contrasts: 1}, 6},
		{Rule{MaxBlocks: 3, Contrasts: 1}, 6},
		{Rule{Blocks: 6, MaxBlocks: 30, Contrasts: 1}, 6},
		{Rule{Blocks: 4, MaxBlocks: 30, Contrasts: 1}, 6},
	} {
		if got := c.rule.first(); got != c.want {
			t.Errorf("%+v: first look that can tell at %d, want %d", c.rule, got, c.want)
		}
		ratios := slices.Repeat([]float64{3}, c.want-1)
		if j := c.rule.Judge(ratios); j.Answer != Unclear || j.Interval.Bounded() || j.P < ErrorRate {
			t.Errorf("%+v: after %d blocks %+v", c.rule, len(ratios), j)
		}
	}
}
