package rules

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A stream that stands in a queue fills the path, but for one that others fill and
// empty: whose queue it is nobody knows then.
func TestAloneBesideOthers(t *testing.T) {
	v := view.Of(load(t, "testdata/congested--one-stream-beside-others-by-satellite.json.gz"), record.Down)
	if !v.Alone() || !v.Queued() || !v.Moves() {
		t.Fatal(v)
	}
	if f := Healthy(v); f.Cause != finding.Unclear {
		t.Errorf("beside others: %s", f.Summary)
	}
	v.Idle.High = v.Idle.Low
	if f := Healthy(v); f.Cause != finding.Unclear || v.Once() < fasterOnce*v.Rate {
		t.Errorf("a line that let more through for a moment: %s", f.Summary)
	}
	steady := *v.One
	steady.Series = nil
	v.One = &steady
	if f := Healthy(v); f.Cause != finding.Healthy {
		t.Errorf("where nothing moves without load: %s", f.Summary)
	}
}

// BBR goes on trying, whatever it loses: alone, with its start-up behind it, it fills
// its path. An algorithm that nobody knows tells nothing.
func TestBBRProbes(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--one-bbr-through-bursts-far-away.json.gz"), record.Down)
	if f := Healthy(v); !v.Alone() || v.Queued() || f.Cause != finding.Healthy || f.Confidence != fillsByProbes {
		t.Fatalf("%s, %.2f sure", f.Cause, f.Confidence)
	}
	v.CC = ""
	if f := Healthy(v); f.Cause != finding.Unclear {
		t.Errorf("by an unknown algorithm: %s", f.Cause)
	}
	v.CC = "bbr"
	starting := *v.One
	starting.Duration = 2
	v.One = &starting
	if f := Healthy(v); f.Cause != finding.SlowStart {
		t.Errorf("in its start-up: %s", f.Cause)
	}
}

// A stream that goes faster than where UDP ends, and loses nothing there, has not met
// that limit: nobody knows what the path carries of TCP.
func TestOutruns(t *testing.T) {
	run := load(t, "testdata/healthy--udp-held-to-a-rate.json.gz")
	run.Besides = nil
	v := view.Of(run, record.Up)
	top, _ := v.Ceiling()
	v.Eight, v.Losses.Steady = nil, 0
	v.Loaded = v.Idle
	v.Rate, v.Capacity = 1.2*top, 1.2*top
	if v.Outruns() != top {
		t.Fatalf("%v, of %v", v.Outruns(), top)
	}
	if f := Healthy(v); f.Cause != finding.Healthy || f.Confidence != outrunsMost {
		t.Errorf("%s, %.2f sure", f.Cause, f.Confidence)
	}
	v.Losses.Steady = 1
	if v.Outruns() != 0 {
		t.Error("it met the limit")
	}
	v.Losses.Steady, v.Rate = 0, top
	if v.Outruns() != 0 {
		t.Error("it goes no faster")
	}
}

// A stream that fills the path beside others may get less of it at another time.
func TestHealthyBesideOthers(t *testing.T) {
	v := view.Of(load(t, "testdata/congested--one-cubic-that-empties-once.json.gz"), record.Down)
	if _, busy := v.Others(); !busy || v.Slow() {
		t.Fatal(v)
	}
	if f := Healthy(v); f.Cause != finding.Healthy || f.Confidence > othersMost {
		t.Errorf("%s, %.2f sure: %s", f.Cause, f.Confidence, f.Summary)
	}
}

// A stream that has what the line carried at most times lacks what it carries at others.
func TestHealthyOnALineThatChanges(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--one-queue-served-at-two-rates.json.gz"), record.Down)
	_, most, changes := seen.LineRates(v.Rungs)
	if !changes {
		t.Fatal("the line does not change")
	}
	v.Rate, v.Capacity = 0.75*most, 0.75*most
	if f := Healthy(v); f.Cause != finding.Healthy || f.Confidence > slowsMost {
		t.Errorf("%s, %.2f sure: %s", f.Cause, f.Confidence, f.Summary)
	}
}

// What fills a path is not known as well where no UDP came through, which would have shown a
// policer or a short queue.
func TestHealthyWithoutUDP(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--fq-codel-in-the-router.json.gz"), record.Down)
	f := Healthy(v)
	if f.Cause != finding.Healthy || f.Confidence < 0.85 || v.Eight == nil {
		t.Fatalf("%s, %.2f sure, eight streams %v", f.Cause, f.Confidence, v.Eight != nil)
	}
	for i := range v.Rungs {
		v.Rungs[i].Delivered = 0
	}
	if f := Healthy(v); f.Cause != finding.Healthy || f.Confidence > noUDPMost {
		t.Errorf("without UDP: %s, %.2f sure", f.Cause, f.Confidence)
	}
}
