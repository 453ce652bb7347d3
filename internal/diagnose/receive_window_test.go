package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A stream that was measured alone is held by a window that it fills without loss;
// one that loses, or leaves a tenth of the window, is not.
func TestFillsWindow(t *testing.T) {
	v := newView(load(t, "testdata/receive-window--one-stream-far-away.json.gz"), record.Down)
	if !v.alone() || !v.fillsWindow() {
		t.Fatal(v)
	}
	v.losses.Resent = 1
	if v.fillsWindow() {
		t.Error("a stream that loses fills its window")
	}
	v.losses.Resent, v.limits.window = 0, 0.8*v.limits.advertised
	if v.fillsWindow() {
		t.Error("a window with room is full")
	}
}
