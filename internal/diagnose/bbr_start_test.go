package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A queue that BBR's start-up filled counts for nothing; one that a loss-based
// sender filled does, and so does one that BBR had time to drain.
func TestBBRStarts(t *testing.T) {
	run := load(t, "testdata/healthy--bbr-that-starts-far-away.json.gz")
	v := newView(run, record.Down)
	if !bloated(v.idle, v.loaded) {
		t.Fatalf("no queue stands: %v", v)
	}
	if !v.bbrStarts() || stands(v) {
		t.Error("BBR's start is bufferbloat")
	}
	v.cc = "cubic"
	if v.bbrStarts() || !stands(v) {
		t.Error("CUBIC's queue is taken for BBR's start")
	}
	v.cc = "bbr"
	long := *v.one
	long.Duration *= 10
	v.one = &long
	if v.bbrStarts() {
		t.Error("BBR starts up for ever")
	}
}
