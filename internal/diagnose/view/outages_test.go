package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// A stream that stands still in an outage, or in the timeouts that follow it, does what
// the path does; one that stands still at another time is held by something else.
func TestStandsByItself(t *testing.T) {
	v := &View{One: &record.Transfer{Started: 10}, Out: seen.Outages{All: []seen.Outage{{At: 12, Duration: 0.7}}}}
	for at, want := range map[float64]bool{2: false, 2.9: false, 5: true} {
		v.Stalls = []flow.Stall{{At: at, Duration: 1.2}}
		if got := v.StandsByItself(); got != want {
			t.Errorf("still from %g s on, with nothing through from 2 s to 2.7 s: by itself %v", at, got)
		}
	}
}

// Rungs into which an outage fell go, and only where the path is known to have
// outages.
func TestRungsThatAnOutageCutShort(t *testing.T) {
	run := load(t, "testdata/healthy--outages-in-the-ladder.json.gz")
	v := Of(run, record.Up)
	if len(v.Out.All) == 0 || len(v.Rungs) != 0 {
		t.Errorf("%d outages, %d rungs left up", len(v.Out.All), len(v.Rungs))
	}
	if v := Of(run, record.Down); len(v.Rungs) != 3 || v.Base.K != 0 {
		t.Errorf("%d rungs left down, of which %v were lost below the ceiling", len(v.Rungs), v.Base)
	}
	cut := seen.Rung{Name: "udp-up-2", Known: 1}
	if left := v.whole([]seen.Rung{cut, {Known: 0.2}, {Known: 1}}); len(left) != 1 {
		t.Errorf("%d rungs left", len(left))
	}
	v.Out = seen.Outages{}
	if left := v.whole([]seen.Rung{cut, {Known: 0.2}}); len(left) != 2 {
		t.Errorf("%d rungs left without an outage", len(left))
	}
}
