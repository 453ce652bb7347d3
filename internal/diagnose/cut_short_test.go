package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// Rungs into which an outage fell go, and only where the path is known to have
// outages.
func TestRungsThatAnOutageCutShort(t *testing.T) {
	run := load(t, "testdata/healthy--outages-in-the-ladder.json.gz")
	v := newView(run, record.Up)
	if len(v.out.all) == 0 || len(v.rungs) != 0 {
		t.Errorf("%d outages, %d rungs left up", len(v.out.all), len(v.rungs))
	}
	if v := newView(run, record.Down); len(v.rungs) != 3 || v.base.k != 0 {
		t.Errorf("%d rungs left down, of which %v were lost below the ceiling", len(v.rungs), v.base)
	}
	cut := rung{name: "udp-up-2", known: 1}
	if left := v.whole([]rung{cut, {known: 0.2}, {known: 1}}); len(left) != 1 {
		t.Errorf("%d rungs left", len(left))
	}
	v.out = outages{}
	if left := v.whole([]rung{cut, {known: 0.2}}); len(left) != 2 {
		t.Errorf("%d rungs left without an outage", len(left))
	}
}
