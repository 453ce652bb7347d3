package view

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// Of a flood beside others at one rate a queue that drops what finds no room takes in
// proportion; a path that carries as much of any flood has no such others.
func TestConstantOthers(t *testing.T) {
	const line, others = 4e6, 1.6e6
	overloads := func(through func(sent float64) float64) *View {
		v := Of(load(t, "testdata/congested--udp-at-one-rate.json.gz"), record.Down)
		v.Rate = line - others
		for i := range v.Rungs {
			r := &v.Rungs[i]
			if r.Overloaded(v.Rungs) {
				r.Delivered = through(r.Sent)
			}
		}
		return v
	}
	inProportion := func(sent float64) float64 { return line * sent / (sent + others) }
	c, found := overloads(inProportion).constantOthers()
	if !found || math.Abs(c.Line/line-1) > 0.01 || math.Abs(c.Rate/others-1) > 0.01 {
		t.Errorf("%v, others send %g of %g bit/s; want %g of %g", found, c.Rate, c.Line, others, line)
	}
	if c, found := overloads(func(float64) float64 { return line - others }).constantOthers(); found {
		t.Errorf("a line of one rate has others that send %g of %g bit/s", c.Rate, c.Line)
	}
	v := overloads(inProportion)
	v.Rate = line / 3
	if _, found := v.constantOthers(); found {
		t.Error("others leave a stream twice what it has")
	}
	v = overloads(inProportion)
	for i := range v.Rungs {
		v.Rungs[i].Timed = false
	}
	if _, found := v.constantOthers(); found {
		t.Error("what a queue took in counts as delivered")
	}

	// BBR pushes such others aside, once the flood that told of them had filled the queue.
	for name, c := range map[string]struct {
		cc          string
		grew, found bool
	}{"bbr": {"bbr", false, true}, "a queue that still filled": {"bbr", true, false}, "cubic": {"cubic", false, false}} {
		v := overloads(inProportion)
		v.Rate, v.CC = 1.2*(line-others), c.cc
		for i := range v.Rungs {
			v.Rungs[i].Grew = c.grew
		}
		if _, found := v.constantOthers(); found != c.found {
			t.Errorf("%s has a fifth more than others leave: %v", name, found)
		}
	}
}
