package twin

import (
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// The mean length of runs is of what was lost in them: a run beyond the longest length that a
// record counts has its own.
func TestLossInRuns(t *testing.T) {
	run := load(t, "healthy--one-bdp-of-queue")
	f, _ := diagnose.FiguresOf(run, record.Down)
	if f.InRuns != 0 || lossOf(f).Bursts != 0 {
		t.Fatalf("nothing was lost, and %d are in runs", f.InRuns)
	}
	for name, c := range map[string]struct {
		lost, runs int64
		run        float64
		bursts     bool
	}{
		"alone":       {40, 40, 1, false},
		"in two runs": {80, 2, 40, true},
	} {
		f.Lost, f.Probed, f.InRuns, f.Runs = c.lost, 10_000, c.lost, c.runs
		if l := lossOf(f); l.Run.Value != c.run || (l.Bursts > 0.5) != c.bursts {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
