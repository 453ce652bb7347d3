package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Others' share of a busy bottleneck changes from moment to moment; a lower rate of
// the path's own is constant, or makes the queue longer.
func TestTakenOrSlow(t *testing.T) {
	for _, c := range []struct {
		file         string
		dir          record.Direction
		taken, slows bool
	}{
		{"congested--six-cubics-that-come-and-go", record.Down, true, false},
		{"congested--eight-cubics-come-and-go", record.Down, true, false},
		{"congested--eight-cubics-come-and-go", record.Up, true, false},
		{"healthy--a-rate-that-falls-to-a-ninth", record.Up, false, true},
		{"healthy--a-rate-that-changes", record.Up, false, true},
		{"healthy--one-bdp-of-queue", record.Down, false, false},
		{"shallow-buffer--jitter-that-bunches", record.Down, false, false},
		{"ack-limited--200-over-1", record.Down, false, false},
	} {
		v := Of(load(t, "testdata/"+c.file+".json.gz"), c.dir)
		if _, _, got := v.taken(); got != c.taken {
			t.Errorf("%s %s: others take a part: %v", c.file, c.dir, got)
		}
		if got := v.Slows(); got != c.slows {
			t.Errorf("%s %s: the rate changes: %v", c.file, c.dir, got)
		}
	}
}

// A queue of others that never drains without our load shows when BBR looks for the
// RTT, beside whichever load of ours that is.
func TestLeastBeside(t *testing.T) {
	v := Of(load(t, "testdata/congested--burst-loss-behind-two-bbrs.json.gz"), record.Down)
	if least := seen.LeastBeside(v.Run); least > v.Idle.Low/2 || !v.drains() || v.falls() {
		t.Errorf("least %v, idle %+v, floor %v", least, v.Idle, v.floor)
	}
	v.Idle.High, v.Idle.Low = v.Idle.Low/2, v.Idle.Low/2
	if v.drains() {
		t.Error("an idle path whose RTT our overload doubles has nobody else's queue")
	}
}

// Where too few probes ran beside our load, its least RTT is not 0 but what the idle path
// had: nothing was seen to fall.
func TestLeastSeenUnknown(t *testing.T) {
	v := Of(load(t, "testdata/congested--burst-loss-behind-two-bbrs.json.gz"), record.Down)
	v.floor, v.leastBeside = 0, 0
	if least := v.LeastSeen(); least != v.Idle.Low || v.emptiesTo(least) {
		t.Errorf("least %v of idle %+v", least, v.Idle)
	}
	v.leastBeside = v.Idle.Low / 2
	if least := v.LeastSeen(); least != v.leastBeside {
		t.Errorf("least %v, seen once %v", least, v.leastBeside)
	}
}

// A transfer without samples tells nothing of others: nothing that is known of it
// arrived, at any time.
func TestNothingTakenWithoutSamples(t *testing.T) {
	v := Of(load(t, "testdata/congested--six-cubics-that-come-and-go.json.gz"), record.Down)
	for _, x := range v.tcp() {
		for i := range x.Series {
			x.Series[i].Samples = nil
		}
	}
	if _, _, found := v.taken(); found || v.Slows() {
		t.Error("a share of nothing is taken for others' traffic")
	}
}
