package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// What the path's own delay adds beside a rung that it carries is no queue of the
// rungs above.
func TestShift(t *testing.T) {
	v := newView(load(t, "testdata/loss-limited--handovers-that-shift-the-delay.json.gz"), record.Up)
	if s := v.shift(); s < 0.16 || s > 0.17 || bufferbloat(v) != nil {
		t.Errorf("the delay shifted by %v, bufferbloat %v", s, bufferbloat(v))
	}
	for i := range v.rungs {
		if !v.rungs[i].overloaded(v.rungs) {
			v.rungs[i].rise = 0
		}
	}
	if bufferbloat(v) == nil {
		t.Error("a queue of 220 ms above the ceiling alone is no bufferbloat")
	}
}
