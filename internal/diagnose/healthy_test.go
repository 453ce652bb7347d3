package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A rung that came through whole and waited for nothing, faster than what the path is
// taken to carry, tells of a rate that changes.
func TestPassedFaster(t *testing.T) {
	v := newView(load(t, "testdata/healthy--one-bdp-of-queue.json.gz"), record.Up)
	if v.passedFaster() != 0 {
		t.Fatal(v.passedFaster())
	}
	gentle := &v.rungs[0]
	gentle.delivered = 1.3 * v.capacity
	if v.passedFaster() != gentle.delivered {
		t.Error("a faster rung is not seen")
	}
	gentle.rise = v.idle.Mid
	if v.passedFaster() != 0 {
		t.Error("what stands in a queue has not come through")
	}
}

// A stream that stands in a queue fills the path, but for one that others fill and
// empty: whose queue it is nobody knows then.
func TestAloneBesideOthers(t *testing.T) {
	v := newView(load(t, "testdata/congested--one-stream-beside-others-by-satellite.json.gz"), record.Down)
	if !v.alone() || !v.queued() || !v.moves() {
		t.Fatal(v)
	}
	if f := healthy(v); f.Cause != finding.Unclear {
		t.Errorf("beside others: %s", f.Summary)
	}
	v.idle.High = v.idle.Low
	if f := healthy(v); f.Cause != finding.Unclear || v.once() < fasterOnce*v.rate {
		t.Errorf("a line that let more through for a moment: %s", f.Summary)
	}
	steady := *v.one
	steady.Series = nil
	v.one = &steady
	if f := healthy(v); f.Cause != finding.Healthy {
		t.Errorf("where nothing moves without load: %s", f.Summary)
	}
}

// BBR goes on trying, whatever it loses: alone, with its start-up behind it, it fills
// its path. An algorithm that nobody knows tells nothing.
func TestBBRProbes(t *testing.T) {
	v := newView(load(t, "testdata/healthy--one-bbr-through-bursts-far-away.json.gz"), record.Down)
	if f := healthy(v); !v.alone() || v.queued() || f.Cause != finding.Healthy || f.Confidence != fillsByProbes {
		t.Fatalf("%s, %.2f sure", f.Cause, f.Confidence)
	}
	v.cc = ""
	if f := healthy(v); f.Cause != finding.Unclear {
		t.Errorf("by an unknown algorithm: %s", f.Cause)
	}
	v.cc = "bbr"
	starting := *v.one
	starting.Duration = 2
	v.one = &starting
	if f := healthy(v); f.Cause != finding.Unclear {
		t.Errorf("in its start-up: %s", f.Cause)
	}
}

// A stream that goes faster than where UDP ends, and loses nothing there, has not met
// that limit: nobody knows what the path carries of TCP.
func TestOutruns(t *testing.T) {
	run := load(t, "testdata/healthy--udp-held-to-a-rate.json.gz")
	run.Besides = nil
	v := newView(run, record.Up)
	top, _ := v.ceiling()
	v.eight, v.losses.steady = nil, 0
	v.loaded = v.idle
	v.rate, v.capacity = 1.2*top, 1.2*top
	if v.outruns() != top {
		t.Fatalf("%v, of %v", v.outruns(), top)
	}
	if f := healthy(v); f.Cause != finding.Healthy || f.Confidence != outrunsMost {
		t.Errorf("%s, %.2f sure", f.Cause, f.Confidence)
	}
	v.losses.steady = 1
	if v.outruns() != 0 {
		t.Error("it met the limit")
	}
	v.losses.steady, v.rate = 0, top
	if v.outruns() != 0 {
		t.Error("it goes no faster")
	}
}
