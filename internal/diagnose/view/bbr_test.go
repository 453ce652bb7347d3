package view

import (
	"testing"

	"unchoke/internal/record"
)

// A queue that BBR's start-up filled counts for nothing; one that a loss-based
// sender filled does, and so does one that BBR had time to drain.
func TestBBRStarts(t *testing.T) {
	run := load(t, "testdata/healthy--bbr-that-starts-far-away.json.gz")
	v := Of(run, record.Down)
	if !bloated(v.Idle, v.Loaded) {
		t.Fatalf("no queue stands: %v", v)
	}
	if !v.bbrStarts() || stands(v) {
		t.Error("BBR's start is bufferbloat")
	}
	v.CC = "cubic"
	if v.bbrStarts() || !stands(v) {
		t.Error("CUBIC's queue is taken for BBR's start")
	}
	v.CC = "bbr"
	long := *v.One
	long.Duration *= 10
	v.One = &long
	if v.bbrStarts() {
		t.Error("BBR starts up for ever")
	}
}
