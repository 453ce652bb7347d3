package main

import (
	"bytes"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/live"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
)

// A path with loss, end to end: the lab, iperf3, a watch on both hosts. What is
// kept is not run again, and judged again it gives the same verdict.
func TestOnePath(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	binary := labtest.NeedLab(t)
	rates := map[draw.Direction]float64{draw.Up: 20e6, draw.Down: 20e6}
	d := draw.Draw{
		Seed: 1, Lab: 1, Family: "random-loss", RTT: 0.06, Capacity: rates, Ceiling: rates,
		Scene: draw.Scene{Path: "rtt=60ms,up.loss=1%,rate=20mbit"},
	}
	dir := score.Dir(t.TempDir())
	known := score.Known{Draw: d, Truth: truth.Truth{Causes: []truth.Cause{{Name: "random-loss", Words: []finding.Cause{finding.LossLimited}, Direction: draw.Up, Gain: 9}}}}
	if err := dir.SaveKnown(d.Name(), known); err != nil {
		t.Fatal(err)
	}
	look := func(binary string) outcome {
		t.Helper()
		b := bench{unchoke: binary, dir: dir, machines: 1, progress: t.Output()}
		outcomes, err := b.run(t.Context(), []job{{draw: d, way: draw.Up, program: bulk}})
		if err != nil || len(outcomes) != 1 {
			t.Fatalf("%d outcomes, %v", len(outcomes), err)
		}
		return outcomes[0]
	}
	o := look(binary)
	sent, _ := o.sent()
	received, _ := o.received()
	if sent != finding.LossLimited || received != live.Watching || o.Sender.Age < watched || o.Seconds < watched {
		t.Errorf("sender %s, receiver %s, %+v", sent, received, o.Sender)
	}
	if again, _ := look("/nowhere").sent(); again != sent {
		t.Errorf("what is kept says %s", again)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-replay", string(dir), "-least-paths", "1", "-least-sending", "1"}, &out, t.Output()); err != nil {
		t.Errorf("judged again: %v\n%s", err, &out)
	}
}

func TestReplayOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-replay", t.TempDir()}, &out, &out); err == nil {
		t.Error("an empty directory is no bench")
	}
}

// Whose fault a flow's rate is: the program's where its limit holds, else the
// path's, in the flow's direction.
func TestTruths(t *testing.T) {
	path := truth.Truth{Causes: []truth.Cause{{Words: []finding.Cause{finding.LossLimited}, Direction: draw.Up}}}
	carries := func(rate float64) *live.Flow { return &live.Flow{SentLately: rate, Verdict: finding.Healthy} }
	for name, c := range map[string]struct {
		o    outcome
		want finding.Cause
	}{
		"bulk":                {outcome{Truth: path, Way: draw.Up, Program: bulk, Sender: carries(1e6)}, finding.LossLimited},
		"the other way":       {outcome{Truth: path, Way: draw.Down, Program: bulk, Sender: carries(1e6)}, finding.Healthy},
		"limits itself":       {outcome{Truth: path, Way: draw.Up, Program: paced, Limit: 1e6, Sender: carries(1e6)}, finding.AppLimited},
		"rests":               {outcome{Truth: path, Way: draw.Up, Program: slow, Limit: 1e6, Sender: carries(0.9e6)}, finding.ReceiveWindow},
		"limit does not hold": {outcome{Truth: path, Way: draw.Up, Program: slow, Limit: 1e6, Sender: carries(2e6)}, finding.LossLimited},
	} {
		if got := c.o.truths()[0]; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// On a healthy path a young flow that has not reached what stock iperf3 carries
// there may be in its start still; one that has, or an older one, may not.
func TestStarting(t *testing.T) {
	seen := truth.Truth{Seen: map[draw.Direction]truth.Seen{draw.Up: {Rate: 10e6, IdleRTT: 0.5}}}
	for name, c := range map[string]struct {
		age, rate float64
		want      bool
	}{
		"young and slow":  {10, 5e6, true},
		"young and there": {10, 9e6, false},
		"old and slow":    {16, 5e6, false},
	} {
		o := outcome{Truth: seen, Way: draw.Up, Program: bulk, Sender: &live.Flow{Age: c.age, SentLately: c.rate}}
		if o.right(finding.SlowStart) != c.want || !o.right(finding.Healthy) {
			t.Errorf("%s: %v", name, o.truths())
		}
		// A program's limit that is far off holds nothing yet.
		o.Program, o.Limit = paced, 2.5*c.rate
		if o.right(finding.SlowStart) != c.want || !o.right(finding.AppLimited) {
			t.Errorf("%s, limited: %v", name, o.truths())
		}
		o.Limit = 1.5 * c.rate
		if o.right(finding.SlowStart) {
			t.Errorf("%s, held by its limit: %v", name, o.truths())
		}
	}
}

func TestGate(t *testing.T) {
	o := outcome{Program: bulk, Way: draw.Up, Steady: true, Seconds: 10, Sender: &live.Flow{Verdict: finding.Policed, Confidence: 0.95}, Receiver: &live.Flow{Verdict: live.Watching}}
	var out bytes.Buffer
	if err := report(&out, []outcome{o}, gate{receiving: 1}); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"| healthy | 1 |", "0.9 sure: 1 of 1", "unknown from the receiving side: 1 of 1", "0 of 10 flow-seconds", "MISS"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	o.Warned = 2
	for name, g := range map[string]gate{"paths": {paths: 2}, "right from the sending side": {sending: 0.9}, "false warnings": {falseWarnings: 0.1}} {
		if err := report(&out, []outcome{o}, g); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWarningReport(t *testing.T) {
	cells := []*cell{
		{rtt: 50, cc: "cubic", seconds: 10, flow: &live.Flow{SentLately: 40e6}},
		{rtt: 50, jitter: 8, cc: "cubic", flow: &live.Flow{SentLately: 30e6, Warnings: []live.Warning{live.ChaosZone}}},
		{rtt: 50, jitter: 16, cc: "cubic", flow: &live.Flow{SentLately: 1e6, Warnings: []live.Warning{live.ChaosZone}}},
		{rtt: 50, jitter: 24, cc: "cubic", flow: &live.Flow{SentLately: 1e6}},
	}
	var out bytes.Buffer
	err := warningReport(&out, cells, gate{precision: 0.9, recall: 0.9})
	if err == nil || !strings.Contains(err.Error(), "precision of the warning: 0.5") || !strings.Contains(err.Error(), "recall of the warning: 0.5") {
		t.Errorf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "Of 2 warned, 1 of 2 (50.0 %) had lost half") || !strings.Contains(out.String(), "0 warnings in 10 flow-seconds") {
		t.Error(out.String())
	}
}

// Jobs depend on the draw alone, and every program is drawn.
func TestJobs(t *testing.T) {
	drawn := map[program]int{}
	for i := range 80 {
		d := draw.New(3, i, false)
		j := newJob(d, 1)
		if again := newJob(d, 1); again.way != j.way || again.program != j.program {
			t.Errorf("path %d differs", i)
		}
		if other := newJob(d, 2); other.way == j.way {
			t.Errorf("path %d: both flows go %s", i, j.way)
		}
		drawn[j.program]++
		near, far := j.scripts("unchoke", 1e6)
		for _, s := range []string{near, far} {
			if strings.Count(s, "unchoke watch --json") != 1 {
				t.Errorf("%s: %s", j.program, s)
			}
		}
	}
	if len(drawn) != 5 {
		t.Errorf("%v", drawn)
	}
}

// Watch and check --flow look at the same transfers.
func TestTransfers(t *testing.T) {
	drawn := map[program]int{}
	for i := range 120 {
		j := newJob(draw.Places.New(3, i, false), 1).transferring(1)
		drawn[j.program]++
		near, far := j.scripts("unchoke", 1e6)
		u := j.transfer(1e6, attachLasts)
		if j.program.transfers() && !strings.Contains(near+far, u.server) {
			t.Errorf("%s: %s %s", j.program, near, far)
		}
	}
	if len(drawn) != 8 {
		t.Errorf("%v", drawn)
	}
}
