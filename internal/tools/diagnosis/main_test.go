package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/tools/diagnosis/ask"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
)

// A slow path with loss, end to end: the lab, stock iperf3 with and without the
// loss, the check. What is kept is not run again, and diagnosed again it gives
// the same verdict.
func TestOnePath(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	binary := labtest.NeedLab(t)
	clean := draw.Scene{Path: "rtt=60ms,rate=4mbit"}
	rates := map[draw.Direction]float64{draw.Up: 4e6, draw.Down: 4e6}
	lossy := draw.Draw{
		Seed: 1, Lab: 1, Family: "random-loss", RTT: 0.06, Capacity: rates, Ceiling: rates,
		Scene: draw.Scene{Path: "rtt=60ms,up.loss=4%,rate=4mbit"}, Clean: clean,
		Impairments: []draw.Impairment{{Name: "random-loss", Directions: []draw.Direction{draw.Up}, Without: clean}},
	}
	dir := score.Dir(t.TempDir())
	judge := func(program string, recheck bool) score.Outcome {
		t.Helper()
		b := bench{unchoke: program, far: ask.IPerf3, seconds: 12, dir: dir, machines: 1, recheck: recheck, progress: t.Output()}
		outcomes, err := b.run(t.Context(), []draw.Draw{lossy})
		if err != nil || len(outcomes) != 1 {
			t.Fatalf("%d outcomes, %v", len(outcomes), err)
		}
		return outcomes[0]
	}

	first := judge(binary, false)
	if first.Truth.Leading() != finding.LossLimited || first.Truth.Borderline() {
		t.Errorf("4 %% of loss: %+v", first.Truth.Causes)
	}
	if first.Said.Verdict == score.Failed {
		t.Fatal(first.Said.Error)
	}
	if again := judge("/nowhere", false); again.Said.Verdict != first.Said.Verdict {
		t.Errorf("what is kept ran again: %+v", again.Said)
	}
	outcomes, err := dir.Replay(diagnose.Diagnose)
	if err != nil || len(outcomes) != 1 || outcomes[0].Said.Verdict != first.Said.Verdict || outcomes[0].Said.Confidence() != first.Said.Confidence() {
		t.Errorf("diagnosed again: %+v, %v; before: %s", outcomes, err, first.Said.Verdict)
	}
	if rechecked := judge("/nowhere", true); rechecked.Said.Verdict != score.Failed {
		t.Errorf("a program that is not there said %s", rechecked.Said.Verdict)
	}
}

func TestReplayOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-replay", t.TempDir()}, &out, &out); err == nil {
		t.Error("an empty directory is no bench")
	}
}

func TestList(t *testing.T) {
	for _, hand := range []draw.Hand{draw.Links, draw.Places} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-list", "-n", "3", "-hand", string(hand)}, &out, &out); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "unchoke lab exec --seed "); n != 3 {
			t.Errorf("%d commands in\n%s", n, out.String())
		}
		if places := strings.Contains(out.String(), "places-1-0000 "); places != (hand == draw.Places) {
			t.Errorf("%s:\n%s", hand, out.String())
		}
	}
}

// Two paths of a draw are those paths of the whole draw.
func TestOnly(t *testing.T) {
	list := func(args ...string) []string {
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"-list", "-n", "5"}, args...), &out, &out); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	all, some := list(), list("-only", "1,4")
	if len(all) != 5 || !slices.Equal(some, []string{all[1], all[4]}) {
		t.Errorf("of %q only %q", all, some)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-list", "-only", "1;4"}, &out, &out); err == nil {
		t.Error(`"1;4" is taken for numbers`)
	}
}
