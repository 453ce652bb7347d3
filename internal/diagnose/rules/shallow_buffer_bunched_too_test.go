package rules

import (
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What waits far longer than jitter holds it back stands in a queue, and nothing else is
// found behind it; nor where probes do not come together.
func TestHeldByJitterTooBehindAQueue(t *testing.T) {
	bloat := []finding.Finding{{Cause: finding.Bufferbloat}}
	file := "testdata/several/bufferbloat+shallow-buffer--jitter-that-stands-as-a-queue.json.gz"
	v := view.Of(load(t, file), record.Down)
	if HeldByJitterToo(v, bloat) == nil {
		t.Fatal("jitter that stands as a queue is not found")
	}
	if f := HeldByJitterToo(v, nil); f != nil {
		t.Errorf("beside nothing: %s", f.Summary)
	}
	if f := HeldByJitterToo(v, append(bloat, finding.Finding{Cause: finding.Policed})); f != nil {
		t.Errorf("beside a policer: %s", f.Summary)
	}
	v.Loaded.Mid = v.Idle.Mid + 2*heldDeviations*v.Idle.Dev
	if f := HeldByJitterToo(v, bloat); f != nil {
		t.Errorf("in a long queue: %s", f.Summary)
	}
	v = view.Of(load(t, file), record.Down)
	diagnosetest.ComeApart(v.Run)
	if f := HeldByJitterToo(v, bloat); f != nil {
		t.Errorf("of probes that come apart: %s", f.Summary)
	}
}
