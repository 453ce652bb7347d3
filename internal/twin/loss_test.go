package twin

import (
	"math"
	"math/rand/v2"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// The mean length of runs is of what was lost in them: a run beyond the longest length that a
// record counts has its own.
func TestLossInRuns(t *testing.T) {
	run := load(t, "healthy--one-bdp-of-queue")
	f, _ := diagnose.FiguresOf(run, record.Down)
	if f.InRuns != 0 || lossOf(f, 0.03).Bursts != 0 {
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
		if l := lossOf(f, 0.03); l.Run.Value != c.run || (l.Bursts > 0.5) != c.bursts {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A sender that does not tell what it resent may have lost what leaves a stream its rate:
// none is what only one can have that tells of none.
func TestLossOfWhatTellsNone(t *testing.T) {
	const rtt, mss = 0.1, 1448
	for name, c := range map[string]struct {
		resent int64
		cc     string
		rate   float64
		want   float64 // the most
	}{
		"tells none":     {0, "cubic", 4.486e6, 0},
		"does not tell":  {-1, "cubic", 4.486e6, 1e-3},
		"nobody told":    {-1, "", 4.486e6, 1e-3},
		"goes on by BBR": {-1, "bbr", 4.486e6, 0.2},
		"hardly runs":    {-1, "cubic", 10e3, 0.2},
	} {
		f := diagnose.Figures{MSS: mss, CC: c.cc, Rate: c.rate, One: &record.Transfer{Rate: c.rate, Duration: 8, Retransmits: c.resent}}
		f.Losses.Segments, f.Losses.Resent = 3000, c.resent
		l := lossOf(f, rtt)
		if math.Abs(l.Mean.High-c.want) > 1e-5 || l.Mean.Low != 0 {
			t.Errorf("%s: %+v, want %g", name, l.Mean, c.want)
		}
		lossy := false
		for i := range uint64(100) {
			lossy = lossy || l.draw(rand.New(rand.NewPCG(1, i))) != path.Loss{}
		}
		if lossy != (c.want > 0) {
			t.Errorf("%s: copies lose packets: %v", name, lossy)
		}
	}
}
