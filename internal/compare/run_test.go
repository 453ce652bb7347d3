package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/internal/record"
)

// path runs trials of arms with these rates, in bit/s, and a noise of the
// given CV, by the seed.
func path(seed uint64, cv float64, rates ...float64) Runner {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(_ context.Context, _, arm int) (record.Trial, error) {
		rate := rates[arm] * math.Exp(cv*random.NormFloat64())
		return record.Trial{Duration: 5, Rate: rate, Bytes: int64(rate * 5 / 8), Retransmits: 10, CPUNear: 0.1}, nil
	}
}

func twoArms(seed uint64) *record.Comparison {
	return &record.Comparison{
		Target: "far",
		Config: record.ComparisonConfig{Seed: seed},
		Arms:   []record.Arm{{Name: "cc=cubic", CC: "cubic"}, {Name: "cc=bbr", CC: "bbr"}},
	}
}

func TestRunStopsWhenFirm(t *testing.T) {
	c := twoArms(1)
	var told []Progress
	a, err := Run(t.Context(), c, path(1, 0.05, 1e6, 3e6), func(p Progress) { told = append(told, p) })
	if err != nil {
		t.Fatal(err)
	}
	if a.Stopped != Firm || a.Blocks != 7 || a.Contrasts[0].Answer != Faster {
		t.Errorf("stopped %s after %d blocks: %+v", a.Stopped, a.Blocks, a.Contrasts)
	}
	if len(c.Trials) != 14 || len(told) != 14 {
		t.Errorf("%d trials, told of %d; want 14", len(c.Trials), len(told))
	}
	for i, p := range told {
		if p.Complete != (i+1)/2 || p.Expected != 7 || p.Trial.Arm != Order(1, 2, i/2)[i%2] || p.Trial.Block != i/2 {
			t.Errorf("progress %d: complete %d, expected %d, arm %d of block %d", i, p.Complete, p.Expected, p.Trial.Arm, p.Trial.Block)
		}
	}
	if want := "bbr carries 3.0× [2.8–3.1] of cubic's rate; 7 blocks; p = 0.016"; a.Contrasts[0].Sentence != want {
		t.Errorf("%s, want %s", a.Contrasts[0].Sentence, want)
	}
}

func TestRunStopsElsewhere(t *testing.T) {
	for _, c := range []struct {
		what   string
		config record.ComparisonConfig
		cv     float64
		rates  []float64
		stop   Stop
		blocks int
		answer Answer
		words  string
	}{
		{"fixed", record.ComparisonConfig{Blocks: 6}, 0.05, []float64{1e6, 3e6}, Fixed, 6, Faster, "p = 0.031"},
		{"fixed beyond firm", record.ComparisonConfig{Blocks: 40}, 0.05, []float64{1e6, 3e6}, Fixed, 40, Faster, "p < 0.001"},
		{"too few", record.ComparisonConfig{Blocks: 5}, 0.05, []float64{1e6, 3e6}, Fixed, 5, Unclear, "too few blocks to say: bbr so far carries"},
		{"slower", record.ComparisonConfig{}, 0.05, []float64{3e6, 1e6}, Firm, 7, Slower, "bbr carries 0.33×"},
		{"the same", record.ComparisonConfig{}, 0.001, []float64{1e6, 1e6}, Firm, 7, Equivalent, "no difference larger than 5 %"},
		{"a wide margin", record.ComparisonConfig{Margin: 0.5}, 0.05, []float64{1e6, 1e6}, Firm, 7, Equivalent, "no difference larger than 50 %"},
		{"noisy", record.ComparisonConfig{}, 0.2, []float64{1e6, 1e6}, Exhausted, 30, Unclear, "no difference found, but none ruled out"},
		{"chaos", record.ComparisonConfig{MaxBlocks: 20}, 1.2, []float64{1e6, 1e6}, Exhausted, 20, Unstable, "too unstable to say: after 20 blocks"},
	} {
		comparison := twoArms(3)
		comparison.Config = c.config
		a, err := Run(t.Context(), comparison, path(4, c.cv, c.rates...), nil)
		got := a.Contrasts[0]
		if err != nil || a.Stopped != c.stop || a.Blocks != c.blocks || got.Answer != c.answer || !strings.Contains(got.Sentence, c.words) {
			t.Errorf("%s: %s after %d blocks, %s: %q, %v", c.what, a.Stopped, a.Blocks, got.Answer, got.Sentence, err)
		}
	}
}

// What was complete when the peer disappeared stays.
func TestRunInterrupted(t *testing.T) {
	gone := errors.New("connection reset")
	inner, trials := path(1, 0.3, 1e6, 1.1e6), 0
	c := twoArms(1)
	a, err := Run(t.Context(), c, func(ctx context.Context, block, arm int) (record.Trial, error) {
		if trials++; trials == 14 {
			return record.Trial{}, gone
		}
		return inner(ctx, block, arm)
	}, nil)
	if !errors.Is(err, gone) || c.Error != err.Error() || !strings.HasPrefix(c.Error, "block 7, arm cc=") {
		t.Errorf("error %v, in the record %q", err, c.Error)
	}
	if a.Stopped != Interrupted || a.Blocks != 6 || len(c.Trials) != 13 {
		t.Errorf("%s after %d blocks and %d trials", a.Stopped, a.Blocks, len(c.Trials))
	}
}

// Trials run one after the other, never two at once, and ^C in the middle of
// one ends the comparison with the user's reason.
func TestRunTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, running := path(1, 0.05, 1e6, 3e6), 0
		trial := func(ctx context.Context, block, arm int) (record.Trial, error) {
			if running++; running > 1 {
				t.Errorf("%d trials at once", running)
			}
			defer func() { running-- }()
			select {
			case <-time.After(5 * time.Second):
				return inner(ctx, block, arm)
			case <-ctx.Done():
				return record.Trial{}, context.Cause(ctx)
			}
		}
		start := time.Now()
		if _, err := Run(t.Context(), twoArms(1), trial, nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 14*5*time.Second {
			t.Errorf("14 trials of 5 s took %v", took)
		}

		ctx, cancel := context.WithCancelCause(t.Context())
		quit := errors.New("interrupted")
		time.AfterFunc(11500*time.Millisecond, func() { cancel(quit) }) // in the third trial
		start = time.Now()
		c := twoArms(1)
		a, err := Run(ctx, c, trial, nil)
		if !errors.Is(err, quit) || a.Stopped != Interrupted || a.Blocks != 1 || len(c.Trials) != 2 || c.Error == "" {
			t.Errorf("%v; %s after %d blocks and %d trials", err, a.Stopped, a.Blocks, len(c.Trials))
		}
		if took := time.Since(start); took != 11500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// Every block has every arm once, in an order that the seed gives; over many
// blocks every order comes up as often as every other.
func TestOrder(t *testing.T) {
	seen := map[string]int{}
	const blocks = 6000
	for block := range blocks {
		order := Order(7, 3, block)
		if !slices.Equal(order, Order(7, 3, block)) {
			t.Fatalf("block %d comes out differently", block)
		}
		seen[fmt.Sprint(order)]++
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{0, 1, 2}) {
			t.Fatalf("block %d: %v", block, order)
		}
	}
	// 5.5 standard deviations of a binomial count.
	for order, n := range seen {
		if math.Abs(float64(n)-blocks/6) > 5.5*math.Sqrt(blocks*5.0/36) {
			t.Errorf("order %s in %d of %d blocks", order, n, blocks)
		}
	}
	if len(seen) != 6 || slices.Equal(Order(1, 40, 0), Order(2, 40, 0)) {
		t.Errorf("orders %v", seen)
	}
}
