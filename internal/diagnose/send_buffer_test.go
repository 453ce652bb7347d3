package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// A stream that was measured alone is held by a buffer for which its kernel waits; one
// that loses is not, nor is one whose sender nobody saw, unless it has just what
// Linux's default holds under way.
func TestFillsSendBuffer(t *testing.T) {
	v := newView(load(t, "testdata/send-buffer--one-stream-by-satellite.json.gz"), record.Up)
	if !v.alone() || !v.fillsSendBuffer() {
		t.Fatal(v)
	}
	v.losses.Resent = 1
	if v.fillsSendBuffer() {
		t.Error("a stream that loses waits for its buffer")
	}
	v.losses.Resent, v.limits.inferred = 0, true
	if v.fillsSendBuffer() {
		t.Error("what was inferred is the kernel's account")
	}
	v = newView(load(t, "testdata/send-buffer--far-default-by-satellite.json.gz"), record.Down)
	if !v.alone() || !v.limits.inferred || !v.fillsSendBuffer() {
		t.Fatal(v)
	}
	v.rate *= 0.8
	if v.fillsSendBuffer() {
		t.Error("less than the default's half is the default")
	}
}
