package main

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"unchoke/internal/compare"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/path"
)

// One comparison of equal arms and one of a true ratio, end to end. `make
// bench-ab` has many more.
func TestOneComparisonOfEach(t *testing.T) {
	binary := labtest.NeedLab(t)
	var out, errs bytes.Buffer
	l := lab{binary: binary, maxBlocks: 12, progress: &errs}
	if err := l.compareAll(context.Background(), 1, 1, 4, &out); err != nil {
		t.Errorf("%v\n%s%s", err, errs.String(), out.String())
	}
}

// A small table of simulated comparisons misses no target.
func TestSimulateAll(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	var out bytes.Buffer
	if err := simulateAll(context.Background(), 30, 12, 1, nil, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if got := strings.Count(out.String(), "\n| "); got != 2*(len(noises)+1)+len(unlike)+1 {
		t.Errorf("%d rows:\n%s", got, out.String())
	}
}

// Drawing is by the seed alone, and every path drawn can be written down.
func TestDraw(t *testing.T) {
	for _, draw := range []func(uint64, int) []trial{drawSame, drawDifferent} {
		first, again, other := draw(1, 20), draw(1, 20), draw(2, 20)
		if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) {
			t.Error("a draw is not by its seed")
		}
		for _, x := range first {
			text := x.path.String()
			if back, err := path.Parse(text); err != nil || back.String() != text {
				t.Errorf("%s: %v, %v", text, back, err)
			}
			for _, arm := range x.arms {
				if _, err := compare.ParseArm(arm); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestCommand(t *testing.T) {
	got := lab{binary: "/bin/unchoke", maxBlocks: 20}.command(drawDifferent(1, 1)[0])
	for _, part := range []string{"unchoke lab exec --seed ", "'unchoke serve --listen :5201'", "--far-sysctl 'net.ipv4.tcp_rmem=4096 16384 16384'", "-- unchoke ab far --json", "--arm streams=10 --arm streams=13"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
}

func TestTally(t *testing.T) {
	good := outcome{blocks: 7, answer: compare.Faster, ratio: 1.3}
	same := count([]outcome{{answer: compare.Equivalent, blocks: 7, ratio: 1}, {answer: compare.Unclear, blocks: 30, ratio: 1}, {answer: compare.Slower, blocks: 9, ratio: 0.5}, {failed: errors.New("gone")}})
	if same.n != 3 || same.different != 1 || same.failed != 1 || same.judgeSame("x") != nil {
		t.Errorf("%+v", same)
	}
	for _, bad := range []tally{{}, {n: 3, different: 2}, {n: 400, different: 21}} {
		if bad.judgeSame("x") == nil {
			t.Errorf("%+v meets the target", bad)
		}
	}
	different := count([]outcome{good, good, good})
	if err := different.judgeDifferent("x"); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]outcome{nil, {good, {answer: compare.Slower, blocks: 7}}, {{blocks: 9, answer: compare.Faster}}} {
		if count(bad).judgeDifferent("x") == nil {
			t.Errorf("%+v meets the targets", bad)
		}
	}
}
