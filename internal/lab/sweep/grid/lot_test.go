package grid

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"unchoke/internal/lab/traffic"
)

// With few values each, a stop at a tight interval still covers the truth
// nearly as often as the interval says.
func TestUntilCICoverage(t *testing.T) {
	cells := []Cell{{Repeat: 100}}
	const trials, truth = 400, 100.0
	covered, runs := 0, 0
	for trial := range trials {
		random := rand.New(rand.NewPCG(uint64(trial), 3))
		var xs []float64
		of := func(id RunID) (float64, bool) {
			if id.Repetition >= len(xs) {
				return 0, false
			}
			return xs[id.Repetition], true
		}
		l := Lot{Cells: []int{0}, size: 16}
		for l.Next(cells, 0.05, of) != nil {
			xs = append(xs, truth*(1+0.1*random.NormFloat64()))
		}
		mean := 0.0
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		if mean > truth/1.05 && mean < truth/0.95 { // |mean − truth| ≤ 5 % of mean
			covered++
		}
		runs += len(xs)
	}
	share := float64(covered) / trials
	t.Logf("stopped after %.1f runs on average; within ±5 %% in %.1f %%", float64(runs)/trials, share*100)
	if share < 0.9 {
		t.Errorf("within ±5 %% of the truth in %.3f of the trials, want at least 0.9", share)
	}
}

func TestLots(t *testing.T) {
	// As large as the jitter-cliff article's.
	cells := slices.Repeat([]Cell{{Repeat: 10, Traffic: traffic.Spec{Duration: 12 * time.Second}}}, 164)
	lots := Lots(cells, 0)
	seen := map[RunID]bool{}
	for _, l := range lots {
		var virtual time.Duration
		for _, r := range l.runs {
			if seen[r] {
				t.Fatalf("run %v is planned twice", r)
			}
			seen[r] = true
			virtual += cells[r.Cell].Traffic.Duration
		}
		if virtual > maxBatchTime {
			t.Errorf("a batch of %v", virtual)
		}
	}
	if len(seen) != 1640 || len(lots) < 20 || len(lots) > 60 {
		t.Errorf("%d runs in %d batches", len(seen), len(lots))
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("2/4"); err != nil || s != (Shard{2, 4}) || s.String() != "2/4" {
		t.Errorf("2/4 is %v, %v", s, err)
	}
	for _, bad := range []string{"", "1", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4", "1/99999999"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is shard %v", bad, s)
		}
	}
}
