package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// noise is what a path does to the rates of its slots.
type noise struct {
	name string
	// start begins a run of a path; the function gives the logarithm of each
	// slot's rate, one after the other.
	start func(*rand.Rand) func() float64
	// found: a ratio of 1.3 is to be found on it.
	found bool
	// other is the noise of all arms but the first, where it has another shape.
	other func(*rand.Rand) func() float64
}

var noises = []noise{
	{"normal, CV 2 %", independent(func(r *rand.Rand) float64 { return math.Log1p(0.02 * r.NormFloat64()) }), true, nil},
	{"normal, CV 10 %", independent(func(r *rand.Rand) float64 { return math.Log1p(0.1 * r.NormFloat64()) }), true, nil},
	{"lognormal, CV 30 %", uneven, false, nil},
	{"lognormal, CV 100 %", independent(func(r *rand.Rand) float64 { return lognormal(1) * r.NormFloat64() }), false, nil},
	{"CV 10 %, one trial in ten stalls to a tenth", independent(func(r *rand.Rand) float64 {
		x := lognormal(0.1) * r.NormFloat64()
		if r.IntN(10) == 0 {
			x -= math.Log(10)
		}
		return x
	}), false, nil},
	{"skewed to low rates", skewed, false, nil},
	{"two modes, 283 and 4128 KiB/s", independent(func(r *rand.Rand) float64 {
		return math.Log([]float64{283, 4128}[r.IntN(2)]) + lognormal(0.2)*r.NormFloat64()
	}), false, nil},
	{"CV 10 %, drifting by 1 % a trial", func(r *rand.Rand) func() float64 {
		level := 0.0
		return func() float64 { level += 0.01; return level + lognormal(0.1)*r.NormFloat64() }
	}, true, nil},
	{"autocorrelated, 0.9 from trial to trial, CV 30 %", func(r *rand.Rand) func() float64 {
		x := lognormal(0.3) * r.NormFloat64()
		return func() float64 { x = 0.9*x + math.Sqrt(1-0.9*0.9)*lognormal(0.3)*r.NormFloat64(); return x }
	}, false, nil},
}

var (
	uneven = independent(func(r *rand.Rand) float64 { return lognormal(0.3) * r.NormFloat64() })
	skewed = independent(func(r *rand.Rand) float64 { return -0.3 * r.ExpFloat64() })
)

func independent(draw func(*rand.Rand) float64) func(*rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 { return func() float64 { return draw(r) } }
}

// lognormal is the standard deviation of the logarithm that gives a CV.
func lognormal(cv float64) float64 { return math.Sqrt(math.Log1p(cv * cv)) }

// simulateAll prints the table of simulated comparisons.
func simulateAll(ctx context.Context, n, maxBlocks int, seed uint64, were map[string]shares, stdout io.Writer) error {
	fmt.Fprintf(stdout, "%d simulated comparisons of two arms for each cell, at most %d blocks each; seed %d.\n\n", n, maxBlocks, seed)
	fmt.Fprintln(stdout, "| noise of a trial | equal: called different | equivalent | open | unstable | truth outside of the interval | 1.3: found | blocks, median (90 %) | truth outside |")
	fmt.Fprintln(stdout, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	var missed []error
	row := func(noise noise) (same, different tally) {
		same = count(simulated(ctx, noise, n, maxBlocks, 2, seed, 1))
		different = count(simulated(ctx, noise, n, maxBlocks, 2, seed+1, trueRatio))
		if ctx.Err() != nil {
			return same, different
		}
		b := stats.Quantiles(different.blocks, 0.5, 0.9)
		fmt.Fprintf(stdout, "| %s | %s | %s | %s | %s | %s | %s | %.0f (%.0f) | %s |\n", noise.name,
			same.within(same.different), same.percent(same.equivalent), same.percent(same.open), same.percent(same.unstable), same.within(same.missed),
			different.within(different.faster), b[0], b[1], different.within(different.missed))
		if was, ok := were[noise.name]; ok {
			now := shares{100 * same.share(same.different), 100 * different.share(different.faster)}
			missed = append(missed, judgeShares(noise.name, now, was))
		}
		return same, different
	}
	for _, noise := range noises {
		same, different := row(noise)
		if ctx.Err() != nil {
			return nil
		}
		// A simulation is no truth to fail on where chance alone explains it.
		if stats.Binomial(int64(same.different), int64(same.n), 0.999).Low > mostFalse {
			missed = append(missed, same.judgeSame(noise.name))
		}
		if noise.found {
			missed = append(missed, different.judgeDifferent(noise.name))
		}
	}
	fmt.Fprint(stdout, "\nArms of unlike noise, one normal with a CV of 1 % beside this baseline. The truth is the median of all blocks' ratios:\n\n")
	fmt.Fprintln(stdout, "| noise of the baseline | 1: called different | equivalent | open | unstable | truth outside of the interval | 1.3: found | blocks, median (90 %) | truth outside |")
	fmt.Fprintln(stdout, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, noise := range unlike {
		if row(noise); ctx.Err() != nil {
			return nil
		}
	}
	four := count(simulated(ctx, noises[1], n, maxBlocks, 4, seed, 1))
	fmt.Fprintf(stdout, "\nFour equal arms, normal, CV 10 %%: one of the three contrasts is called different in %s of the comparisons.\n", four.within(four.different))
	fmt.Fprint(stdout, "\nOf summaries of arms over 8, 12 and 30 trials:\n\n| noise of a trial | said to have two modes | said to drift |\n|---|---:|---:|\n")
	for _, noise := range noises {
		modes, drifts := "", ""
		for i, blocks := range []int{8, 12, 30} {
			s := count(summaries(ctx, noise, min(n, 1000), blocks, seed))
			if i > 0 {
				modes, drifts = modes+", ", drifts+", "
			}
			modes, drifts = modes+s.percent(s.bimodal), drifts+s.percent(s.drift)
		}
		fmt.Fprintf(stdout, "| %s | %s | %s |\n", noise.name, modes, drifts)
	}
	fmt.Fprintln(stdout)
	return errors.Join(missed...)
}

// slots are the rates of a comparison's trials, by block and arm: the path's
// slots, handed out in the order that the comparison would use. All arms but
// the first are ratio times as fast, and have the other noise if there is one.
func slots(noise noise, r *rand.Rand, blocks, arms int, ratio float64) [][]float64 {
	slot, seed := noise.start(r), r.Uint64()
	other := slot
	if noise.other != nil {
		other = noise.other(r)
	}
	rates := make([][]float64, blocks)
	for b := range rates {
		rates[b] = make([]float64, arms)
		for _, arm := range compare.Order(seed, arms, b) {
			if arm == 0 {
				rates[b][arm] = 1e6 * math.Exp(slot())
			} else {
				rates[b][arm] = 1e6 * math.Exp(other()) * ratio
			}
		}
	}
	return rates
}

// simulated comparisons, each until its answers are firm.
func simulated(ctx context.Context, noise noise, n, maxBlocks, arms int, seed uint64, truth float64) []outcome {
	outcomes := make([]outcome, n)
	ratio := truth / noise.middle()
	parallel(ctx, n, func(i int) {
		rates := slots(noise, rand.New(rand.NewPCG(seed, uint64(i))), maxBlocks, arms, ratio)
		rule := compare.Rule{MaxBlocks: maxBlocks, Contrasts: arms - 1, Margin: compare.DefaultMargin}
		for arm := 1; arm < arms; arm++ {
			ratios := make([]float64, maxBlocks)
			for b := range ratios {
				ratios[b] = rates[b][arm] / rates[b][0]
			}
			o := outcome{blocks: maxBlocks}
			if stop := rule.FirmAt(ratios); stop > 0 {
				o.blocks = stop
			}
			j := rule.Judge(ratios[:o.blocks])
			o.answer, o.ratio, o.missed = j.Answer, j.Ratio, !holds(j.Interval, truth)
			// Of several contrasts, the first that is called different counts.
			if arm == 1 || j.Answer == compare.Faster || j.Answer == compare.Slower {
				outcomes[i] = o
			}
		}
	})
	return outcomes
}

// holds says whether an interval holds the truth; its ends are to 0.1 %.
func holds(i stats.Interval, truth float64) bool {
	return i.Low <= truth*1.001 && i.High >= truth/1.001
}

// summaries are analyses of comparisons with a fixed number of blocks, for what
// they say of the first arm.
func summaries(ctx context.Context, noise noise, n, blocks int, seed uint64) []outcome {
	outcomes := make([]outcome, n)
	parallel(ctx, n, func(i int) {
		c := record.Comparison{Arms: make([]record.Arm, 2), Config: record.ComparisonConfig{Blocks: blocks}}
		for b, rates := range slots(noise, rand.New(rand.NewPCG(seed, uint64(i))), blocks, 2, 1) {
			for arm, rate := range rates {
				c.Trials = append(c.Trials, record.Trial{Block: b, Arm: arm, Rate: rate, Duration: 5})
			}
		}
		a := compare.Analyse(&c)
		outcomes[i] = outcome{answer: a.Contrasts[0].Answer, bimodal: a.Arms[0].Bimodal, drift: a.Arms[0].Drifts()}
	})
	return outcomes
}
