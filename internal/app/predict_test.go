//go:build !slim

package app

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/app/request"
	"unchoke/internal/finding"
	"unchoke/internal/hint"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/twin"
)

// lossy is the check of a path of 8 Mbit/s that loses 1 %, both ways.
func lossy(t *testing.T) *record.Run {
	return kept(t, "../../cmd/unchoke/testdata/lossy-check.json.gz")
}

func kept(t *testing.T, file string) *record.Run {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	run, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// fake is a lab in which each trial carries what its direction's record has, and
// bbr three times that; off is by how much.
func fake(run *record.Run, off float64) trialsRunner {
	rate := map[int]float64{}
	for _, t := range run.Transfers {
		if t.Direction == record.Down && t.Protocol == record.TCP {
			rate[t.Streams] = t.SteadyRate
		}
	}
	return func(_ context.Context, trials []twin.Trial, done func()) ([]twin.Outcome, error) {
		out := make([]twin.Outcome, len(trials))
		for i, t := range trials {
			r := rate[t.Streams] * off
			if t.CC == "bbr" {
				r *= 3
			}
			out[i] = twin.Outcome{Rate: r, Steady: r, Early: 1.3 * r, Segments: 1000, Resent: 9, RTT: 0.06, Neighbor: 1e6}
			done()
		}
		return out, nil
	}
}

func TestPredict(t *testing.T) {
	run := lossy(t)
	last := 0.0
	p, err := predict(t.Context(), PredictRequest{Run: run, Neighbor: true, Progress: func(share float64, _ string) {
		if share < last || share > 1.000001 {
			t.Errorf("progress goes from %v to %v", last, share)
		}
		last = share
	}}, fake(run, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Ways {
		if w.Direction == record.Down && !w.Agrees {
			t.Errorf("the download is refused: %+v", w.Compared)
		}
	}
	found := false
	for _, a := range p.Arms {
		if a.Direction == record.Down && a.Arm == "cc=bbr" {
			found = math.Abs(a.Gain-3) < 1e-9 && a.Neighbor == 1e6
		}
	}
	if !found {
		t.Errorf("no gain of 3 by bbr among %+v", p.Arms)
	}
}

// An algorithm that the lab kernel does not have is refused, with those that it has.
func TestUnknownAlgorithm(t *testing.T) {
	have := []string{"reno", "bbr", "cubic"}
	if err := unknownAlgorithm([]record.Arm{{Streams: 4}, {CC: "bbr"}}, have); err != nil {
		t.Error(err)
	}
	err := unknownAlgorithm([]record.Arm{{CC: "bbr"}, {Name: "cc=bbr9", CC: "bbr9"}}, have)
	if _, refused := errors.AsType[*request.Error](err); !refused || !strings.Contains(err.Error(), "no congestion control bbr9") || hint.Of(err) != "it has bbr, cubic, reno" {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
}

// What others would leave to another algorithm is theirs, and how long a line stays slow is
// its own, however well copies fit.
func TestPredictRefusesWhatACheckDoesNotTell(t *testing.T) {
	for file, c := range map[string]struct {
		way  record.Direction
		want string
	}{
		"congested--four-cubics":                {record.Down, "download, others fill the bottleneck"},
		"healthy--a-rate-that-falls-to-a-ninth": {record.Up, "upload, the path's own rate is lower at times"},
	} {
		run := kept(t, "../diagnose/testdata/"+file+".json.gz")
		p, err := predict(t.Context(), PredictRequest{Run: run, Arms: []record.Arm{{CC: "bbr", Direction: c.way}}}, fake(run, 1))
		if err != nil {
			t.Fatal(err)
		}
		there := func(a record.Predicted) bool { return a.Direction == c.way }
		if slices.ContainsFunc(p.Arms, there) || !strings.Contains(strings.Join(p.NotRebuilt, ""), c.want) {
			t.Errorf("%s: predicted %+v, not rebuilt %q", file, p.Arms, p.NotRebuilt)
		}
		for _, w := range p.Ways {
			if w.Direction == c.way && w.Agrees {
				t.Errorf("%s: its copies are said to agree", file)
			}
		}
	}
}

// Nor is a remedy of the findings predicted there; what each cause costs is asked.
func TestPredictLeavesRemediesForOthersBottleneck(t *testing.T) {
	run := kept(t, "../diagnose/testdata/congested--four-cubics.json.gz")
	p, err := predict(t.Context(), PredictRequest{Run: run, Causes: true}, fake(run, 1))
	if err != nil {
		t.Fatal(err)
	}
	costs := 0
	for _, a := range p.Arms {
		switch {
		case len(a.Without) > 0:
			costs++
		case a.Arm != record.Now:
			t.Errorf("predicted %s %s", a.Direction, a.Arm)
		}
	}
	if costs == 0 || !strings.Contains(strings.Join(p.Left, ""), "download: others fill the bottleneck") {
		t.Errorf("%d causes were taken away, not tried: %q", costs, p.Left)
	}
}

// How soon outages come again is chance: what another algorithm would carry is not
// predicted. What they cost is asked, also of a stream that fills the path between them.
func TestPredictAsksWhatOutagesCost(t *testing.T) {
	run := kept(t, "../diagnose/testdata/loss-limited--outages-by-copies.json.gz")
	run.Predicted = nil
	p, err := predict(t.Context(), PredictRequest{Run: run, Causes: true}, fake(run, 1))
	if err != nil {
		t.Fatal(err)
	}
	asked := false
	for _, a := range p.Arms {
		asked = asked || a.Direction == record.Down && strings.Contains(a.Arm, "outages")
		if len(a.Without) == 0 && a.Arm != record.Now {
			t.Errorf("predicted %s %s", a.Direction, a.Arm)
		}
	}
	if !asked {
		t.Errorf("what outages cost was not asked: %+v", p.Arms)
	}
	p, err = predict(t.Context(), PredictRequest{Run: run, Arms: []record.Arm{{CC: "bbr", Direction: record.Down}}}, fake(run, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Arms) > 0 || !strings.Contains(strings.Join(p.NotRebuilt, ""), "download, outages cost a stream") {
		t.Errorf("predicted %+v, not rebuilt %q", p.Arms, p.NotRebuilt)
	}
}

// A lab in which nothing behaves as the path did gives likenesses and no arms,
// unless one wants to know how wrong these would be.
func TestPredictRefuses(t *testing.T) {
	run := lossy(t)
	p, err := predict(t.Context(), PredictRequest{Run: run}, fake(run, 5))
	if err != nil || len(p.Arms) > 0 || len(p.Ways) != 2 || p.Ways[0].Agrees || p.Ways[1].Agrees {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = predict(t.Context(), PredictRequest{Run: run, Sure: true}, fake(run, 5))
	if err != nil || len(p.Arms) == 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// What ends the lab ends the prediction.
func TestPredictFails(t *testing.T) {
	broken := errors.New("no machine")
	_, err := predict(t.Context(), PredictRequest{Run: lossy(t)}, func(context.Context, []twin.Trial, func()) ([]twin.Outcome, error) {
		return nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// What copies beside a check made of a cause decides about nothing that is tried again: a
// direction that they cleared has its causes and remedies tried as before, and those that they
// named beside the rules' are tried too.
func TestPredictAgainTriesWhatACheckTried(t *testing.T) {
	names := func(run *record.Run) (out []string) {
		p, err := predict(t.Context(), PredictRequest{Run: run, Causes: true}, fake(run, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Arms {
			out = append(out, string(a.Direction)+" "+a.Arm)
		}
		return out
	}
	for _, file := range []string{"loss-limited--bursts-behind-jitter", "loss-limited--an-outage-before-a-rung"} {
		run := kept(t, "../diagnose/testdata/"+file+".json.gz")
		run.Predicted = nil
		want := names(run)
		for _, d := range record.Directions {
			run.Predicted = append(run.Predicted,
				record.Predicted{Arm: record.Now, Direction: d, Gain: 1, GainLow: 1, GainHigh: 1},
				record.Predicted{Arm: "without random loss", Direction: d, Without: []string{string(finding.LossLimited)}, Gain: 1, GainLow: 1, GainHigh: 1},
			)
		}
		if got := names(run); !slices.Equal(got, want) {
			t.Errorf("%s: tried again %q, want %q", file, got, want)
		}
	}
}

// Outages that come too rarely for a trial are in none: copies without them are as they are,
// and what the causes cost there is not said.
func TestPredictLeavesOutRareOutages(t *testing.T) {
	run := kept(t, "../diagnose/testdata/loss-limited--outages-by-copies.json.gz")
	run.Predicted = nil
	fit, err := twin.Of(run)
	if err != nil {
		t.Fatal(err)
	}
	panel := twin.Panel{Direction: record.Down, Agrees: true, CostlyOutages: true}
	tried := func(rarely float64) (arms, left []string) {
		fit.Outages.Every = twin.Param{Value: rarely, Low: rarely, High: rarely}
		panel.Members = nil
		for i := range 4 {
			panel.Members = append(panel.Members, fit.Copy(record.Down, i, 1))
		}
		p := predictor{PredictRequest: PredictRequest{Run: run, Causes: true, Seats: 4}, fit: fit, run: fake(run, 1)}
		if err := p.try(t.Context(), []twin.Panel{panel}); err != nil {
			t.Fatal(err)
		}
		for _, a := range p.out.Arms {
			arms = append(arms, a.Arm)
		}
		return arms, p.out.Left
	}
	if arms, left := tried(5); len(arms) < 2 || len(left) > 0 {
		t.Errorf("of outages each 5 s: tried %q, left %q", arms, left)
	}
	if arms, left := tried(500); !slices.Equal(arms, []string{record.Now}) || !strings.Contains(strings.Join(left, ""), "download: outages come too rarely") {
		t.Errorf("of outages each 500 s: tried %q, left %q", arms, left)
	}
}

// Where none of the first copies has what an arm is without, the others are tried as well:
// the first would say that it costs nothing.
func TestPredictTriesTheCopiesThatHaveIt(t *testing.T) {
	run := kept(t, "../diagnose/testdata/loss-limited--wireguard-up.json.gz")
	run.Predicted = nil
	fit, err := twin.Of(run)
	if err != nil {
		t.Fatal(err)
	}
	lossy := fit.Copy(record.Up, 0, 1)
	lossy.Path.Up.Loss = path.Loss{P: 0.01}
	clean := lossy
	clean.Path.Up.Loss = path.Loss{}
	for name, c := range map[string]struct {
		members []twin.Copy
		all     bool
	}{
		"the last two have it": {[]twin.Copy{clean, clean, lossy, lossy}, true},
		"none has it":          {[]twin.Copy{clean, clean, clean, clean}, false},
		"all have it":          {[]twin.Copy{lossy, lossy, lossy, lossy}, false},
	} {
		panel := twin.Panel{Direction: record.Up, Agrees: true, Members: c.members}
		trials := 0
		count := func(ctx context.Context, all []twin.Trial, done func()) ([]twin.Outcome, error) {
			trials += len(all)
			return fake(run, 1)(ctx, all, done)
		}
		p := predictor{PredictRequest: PredictRequest{Run: run, Causes: true, Seats: 4}, fit: fit, run: count}
		p.findings = []finding.Finding{{Cause: finding.LossLimited, Direction: record.Up, Severity: 1}}
		if err := p.try(t.Context(), []twin.Panel{panel}); err != nil {
			t.Fatal(err)
		}
		each := 2
		if c.all {
			each = 4
		}
		if arms := len(p.out.Arms); arms == 0 || trials != each*arms {
			t.Errorf("%s: %d trials of %d arms, want %d each", name, trials, arms, each)
		}
	}
}
