package diagnose

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// Of a flood beside others at one rate a queue that drops what finds no room takes in
// proportion; a path that carries as much of any flood has no such others.
func TestConstantOthers(t *testing.T) {
	const line, others = 4e6, 1.6e6
	overloads := func(through func(sent float64) float64) *view {
		v := newView(load(t, "testdata/congested--udp-at-one-rate.json.gz"), record.Down)
		v.rate = line - others
		for i := range v.rungs {
			r := &v.rungs[i]
			if r.overloaded(v.rungs) {
				r.delivered = through(r.sent)
			}
		}
		return v
	}
	inProportion := func(sent float64) float64 { return line * sent / (sent + others) }
	c, found := overloads(inProportion).constantOthers()
	if !found || math.Abs(c.line/line-1) > 0.01 || math.Abs(c.rate/others-1) > 0.01 {
		t.Errorf("%v, others send %g of %g bit/s; want %g of %g", found, c.rate, c.line, others, line)
	}
	if c, found := overloads(func(float64) float64 { return line - others }).constantOthers(); found {
		t.Errorf("a line of one rate has others that send %g of %g bit/s", c.rate, c.line)
	}
	v := overloads(inProportion)
	v.rate = line / 3
	if _, found := v.constantOthers(); found {
		t.Error("others leave a stream twice what it has")
	}
	v = overloads(inProportion)
	for i := range v.rungs {
		v.rungs[i].timed = false
	}
	if _, found := v.constantOthers(); found {
		t.Error("what a queue took in counts as delivered")
	}
}
