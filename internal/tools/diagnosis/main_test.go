package main

import (
	"bytes"
	"context"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/path"
)

// One path of each cause, end to end: the lab, stock iperf3, the check, the
// verdict, of which one in seven may be wrong: `make bench-diagnosis` says how
// often they are.
func TestOnePathOfEachCause(t *testing.T) {
	labtest.NeedKernel(t)
	binary := labtest.NeedProgram(t)
	var out, errs bytes.Buffer
	if err := run(context.Background(), []string{"-unchoke", binary, "-per-cause", "1", "-seed", "3", "-least", "0.85"}, &out, &errs); err != nil {
		t.Errorf("%v\n%s%s", err, errs.String(), out.String())
	}
}

// Drawing is by the seed alone, and every path drawn can be written down.
func TestDraw(t *testing.T) {
	first, again, other := draw(1, 20), draw(1, 20), draw(2, 20)
	if len(first) < 120 {
		t.Fatalf("%d paths", len(first))
	}
	same := 0
	for i := range first {
		if first[i].String() != again[i].String() || first[i].Seed != again[i].Seed {
			t.Errorf("path %d differs between two draws of one seed", i)
		}
		if first[i].String() == other[i].String() {
			same++
		}
		text := first[i].Path.String()
		if back, err := path.Parse(text); err != nil || back.String() != text {
			t.Errorf("%s: %v, %v", text, back, err)
		}
		rtt, rate := first[i].Path.RTT().Seconds()*1e3, float64(first[i].Path.Up.Rate)/1e6
		if rtt < 5 || rtt > 300 || rate > 3000 {
			t.Errorf("%s: outside what is promised", text)
		}
	}
	if same > 0 {
		t.Errorf("two seeds share %d paths", same)
	}
}

func TestTally(t *testing.T) {
	results := []result{
		{trial: trial{Want: diagnose.Healthy}, verdict: diagnose.Healthy},
		{trial: trial{Want: diagnose.Healthy, Boundary: true}, verdict: diagnose.Policed},
		{trial: trial{Want: diagnose.Policed}, verdict: diagnose.Policed},
		{trial: trial{Want: diagnose.Policed}, verdict: "failed"},
	}
	c := tally(results)
	if c.right() != 2 || c.share() != 0.5 {
		t.Errorf("%d right, share %v", c.right(), c.share())
	}
	if n, right := c.boundary(); n != 1 || right != 0 {
		t.Errorf("boundary: %d of %d", right, n)
	}
}
