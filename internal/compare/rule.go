package compare

import (
	"math"
	"slices"

	"unchoke/internal/stats"
)

// ErrorRate is the probability to call arms different that are not, over all
// looks and all contrasts of a comparison together.
const ErrorRate = 0.05

// DefaultMargin is the difference that is too small to matter.
const DefaultMargin = 0.05

// DefaultMaxBlocks ends a comparison that finds no firm answer. At thirty a
// difference of 10 % is found in five of six comparisons of arms with a CV of
// 10 %; twice as many blocks halve what can be seen only by a third.
const DefaultMaxBlocks = 30

// unstableAbove is the ratio of an interval's ends from which on the path is
// too unstable to say: where even a doubling may or may not be there.
const unstableAbove = 2

// Rule decides when a contrast is firm, and what it comes to.
//
// It is a group sequential sign-flip permutation test of the blocks'
// log-ratios that looks after every block and spends its error rate by the
// function of Lan and DeMets that is close to Pocock's boundary ("Discrete
// Sequential Boundaries for Clinical Trials", Biometrika 70, 1983): after n of
// at most N blocks α·ln(1 + (e−1)·n/N). Contrasts share the error rate
// equally (Bonferroni). The interval holds the ratios that the same test, with
// the log-ratios taken from that ratio, has not rejected.
//
// Of equal arms the test is exact, whatever their noise: the order of a block is
// drawn. Of a ratio other than 1 it is exact where the log-ratios are symmetric
// about it, as those of arms are that differ by a factor alone. Lopsided ones it
// balances elsewhere than at their median, and the interval misses that more
// often; `make bench-ab` measures how often.
type Rule struct {
	Blocks    int     // fixed: one look, at the end, with all of the error rate; 0: a look after every block
	MaxBlocks int     // at least 1
	Contrasts int     // at least 1
	Margin    float64 // an equivalence is within [1/(1+Margin), 1+Margin]
}

// Judgement is what a rule says of a contrast.
type Judgement struct {
	Ratio    float64 // median of the ratios; 0 without blocks
	Interval stats.Interval
	P        float64
	Answer   Answer
}

// Firm says that more blocks would not change the answer.
func (a Answer) Firm() bool { return a == Faster || a == Slower || a == Equivalent }

// spent is the error rate that a contrast may have used up after n blocks.
func (r Rule) spent(n int) float64 {
	all := ErrorRate / float64(r.Contrasts)
	switch {
	case r.Blocks > 0 && n < r.Blocks:
		return 0
	case r.Blocks > 0 || n >= r.MaxBlocks:
		return all
	}
	return all * math.Log1p((math.E-1)*float64(n)/float64(r.MaxBlocks))
}

// first is the number of blocks at which an answer can be firm at the
// earliest: where all of them agree, a chance of 2·2⁻ⁿ. It may be more than
// the rule allows.
func (r Rule) first() int {
	n := 1
	for math.Pow(2, float64(1-n)) > r.spent(n) {
		n++
	}
	return n
}

// A score is what a block counts in the test: its log-ratio in steps of 0.1 %,
// at most a factor of two, so that one trial that stalled does not outweigh
// all the others. Both are odd functions of the log-ratio, so the test stays
// exact.
const (
	step     = 0.001
	mostStep = 693 // ln 2 / step
)

// steps turns ratios into log-ratios, in steps.
func steps(ratios []float64) []int {
	out := make([]int, len(ratios))
	for i, ratio := range ratios {
		out[i] = toStep(ratio)
	}
	return out
}

func toStep(ratio float64) int        { return int(math.Round(math.Log(ratio) / step)) }
func fromStep(logRatio int) float64   { return math.Exp(float64(logRatio) * step) }
func (r Rule) margin() int            { return int(math.Log1p(r.Margin) / step) }
func score(logRatio, against int) int { return min(max(logRatio-against, -mostStep), mostStep) }

// trace is the test of one ratio, block by block.
type trace struct {
	rule    Rule
	against int // the ratio tested, its logarithm in steps
	blocks  int
	test    stats.SignFlip
	side    int     // of the ratio on which the blocks lie, once it is rejected: 1 above, −1 below
	p       float64 // while it is not rejected, of now; else of when it was
}

func (t *trace) add(logRatio int) {
	if t.side != 0 {
		return
	}
	t.blocks++
	t.test.Add(score(logRatio, t.against))
	t.p = t.test.P()
	limit := t.rule.spent(t.blocks)
	if t.p <= limit {
		t.side = 1
		if t.test.Sum() < 0 {
			t.side = -1
		}
	}
	t.test.Stop(limit)
}

func (r Rule) test(logRatios []int, against int) trace {
	t := trace{rule: r, against: against, p: 1}
	for _, l := range logRatios {
		t.add(l)
	}
	return t
}

// Judge says what the ratios of the blocks so far come to, arm over baseline,
// in the order of the blocks.
func (r Rule) Judge(ratios []float64) Judgement {
	if len(ratios) == 0 {
		return Judgement{Interval: stats.Interval{Low: 0, High: math.Inf(1)}, P: 1, Answer: Unclear}
	}
	j := Judgement{Ratio: stats.Median(ratios)}
	logRatios := steps(ratios)
	j.Interval = r.interval(logRatios, j.Ratio)
	j.Answer = r.answer(j.Interval)
	equal := r.test(logRatios, 0)
	j.P = min(1, equal.p*float64(r.Contrasts))
	if j.Interval.Contains(1) {
		// No difference is firm. Whatever the rest of the error rate would have
		// been spent on ranks before this.
		j.P = max(j.P, ErrorRate)
	}
	return j
}

func (r Rule) answer(i stats.Interval) Answer {
	switch {
	case i.Low >= 1/(1+r.Margin) && i.High <= 1+r.Margin:
		return Equivalent
	case i.Low > 1:
		return Faster
	case i.High < 1:
		return Slower
	case i.Bounded() && i.High > unstableAbove*i.Low:
		return Unstable
	}
	return Unclear
}

// interval holds the ratios that were not rejected, and the median.
func (r Rule) interval(logRatios []int, median float64) stats.Interval {
	least, most := slices.Min(logRatios)-1, slices.Max(logRatios)+1
	i := stats.Interval{Low: 0, High: math.Inf(1)}
	// The blocks lie above every ratio that is low enough, if there are enough
	// of them to reject any. Between these ends the sides are looked for by
	// halving, from the ratios that decide on the answer.
	if low, ok := r.edge(logRatios, least, most, 1); ok {
		i.Low = fromStep(low)
	}
	if high, ok := r.edge(logRatios, most, least, -1); ok {
		i.High = fromStep(high)
	}
	// Where the ratio changed during the run, later blocks may contradict what
	// the earlier ones ruled out: the interval then spans both.
	if i.Low > i.High {
		i.Low, i.High = i.High, i.Low
	}
	return stats.Interval{Low: min(i.Low, median), High: max(i.High, median)}
}

// edge is the first ratio from outside on that is not rejected with the blocks
// on the given side of it; ok is false where not even outside is.
func (r Rule) edge(logRatios []int, outside, inside, side int) (at int, ok bool) {
	rejected := func(against int) bool {
		t := r.test(logRatios, against)
		return t.side == side
	}
	if !rejected(outside) {
		return 0, false
	}
	for _, knot := range []int{-r.margin(), 0, r.margin()} {
		between := min(outside, inside) < knot && knot < max(outside, inside)
		switch {
		case !between:
		case rejected(knot):
			if (knot-outside)*side > 0 {
				outside = knot
			}
		case (inside-knot)*side > 0:
			inside = knot
		}
	}
	for (inside-outside)*side > 1 {
		mid := outside + (inside-outside)/2
		if rejected(mid) {
			outside = mid
		} else {
			inside = mid
		}
	}
	return inside, true
}

// FirmAt is the number of blocks after which the answer was firm for the first
// time; 0 where it never was. It is what a comparison of one contrast stops at.
func (r Rule) FirmAt(ratios []float64) int {
	equal := trace{rule: r}
	below, above := trace{rule: r, against: -r.margin()}, trace{rule: r, against: r.margin()}
	for n, ratio := range ratios {
		for _, t := range []*trace{&equal, &below, &above} {
			t.add(toStep(ratio))
		}
		// Only a firm answer has one of these, so the others need no judgement.
		if equal.side == 0 && (below.side != 1 || above.side != -1) {
			continue
		}
		if r.Judge(ratios[:n+1]).Answer.Firm() {
			return n + 1
		}
	}
	return 0
}
