package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// One probability makes shares that differ by chance; bursts and others' traffic
// make more of it.
func TestLossComesAndGoes(t *testing.T) {
	for what, c := range map[string]struct {
		lost [3]int64 // of a thousand packets each
		want bool
	}{
		"the same":          {[3]int64{50, 50, 50}, false},
		"by chance":         {[3]int64{40, 55, 60}, false},
		"comes and goes":    {[3]int64{10, 120, 30}, true},
		"too few to tell":   {[3]int64{0, 4, 1}, false},
		"nothing was lost":  {[3]int64{0, 0, 0}, false},
		"everything was so": {[3]int64{1000, 1000, 1000}, false},
	} {
		v := &View{Capacity: 100e6}
		for i, k := range c.lost {
			v.Rungs = append(v.Rungs, seen.Rung{Sent: float64(i+1) * 1e6, Delivered: float64(i+1) * 1e6, Packets: 1000, Lost: k})
			v.Base.Add(k, 1000)
		}
		if got := v.LossComesAndGoes(); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// A row of lost packets is one event, two rows are two, and a row that nobody counted tells
// nothing.
func TestLostInOneRun(t *testing.T) {
	for name, c := range map[string]struct {
		runs []int64
		want bool
	}{"one row": {[]int64{1}, true}, "two": {[]int64{1, 1}, false}, "uncounted": {[]int64{0}, false}, "none": {nil, false}} {
		v := View{One: &record.Transfer{}, Rate: 10, Capacity: 100}
		for _, n := range c.runs {
			v.Rungs = append(v.Rungs, seen.Rung{Sent: 20, Delivered: 20, Packets: 1000, Lost: 22, Runs: n})
		}
		if got := v.LostInOneRun(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What UDP lost in a handover does not explain a stream that lost far less.
func TestLossThatTheStreamDidNotMeet(t *testing.T) {
	v := Of(load(t, "testdata/shallow-buffer--handover-beside-one-rung.json.gz"), record.Down)
	if !v.losesLess() || v.RandomLossExplains() {
		t.Fatal(v)
	}
	v.Losses.Real = int64(v.Base.Mean() * float64(v.Losses.Segments))
	if !v.RandomLossExplains() {
		t.Error("a stream that lost as much")
	}
}
