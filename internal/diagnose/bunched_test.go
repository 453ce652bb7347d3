package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A delay that varies and keeps the order explains a slow stream for which no queue is
// too short, unless its sender goes by no loss, or the delay varies little.
func TestHeldByJitter(t *testing.T) {
	v := newView(load(t, "testdata/shallow-buffer--jitter-on-a-train.json.gz"), record.Up)
	if bunched(v) != nil {
		t.Fatal("the queue explains it")
	}
	f := heldByJitter(v)
	if f == nil || f.Cause != finding.ShallowBuffer || f.Confidence != heldByJitterSure {
		t.Fatalf("%+v", f)
	}
	spread := v.idle.Dev
	v.idle.Dev = jitterOfRTT * v.idle.Mid / 2
	if heldByJitter(v) != nil {
		t.Error("a delay that varies little")
	}
	v.idle.Dev, v.cc = spread, "bbr"
	if heldByJitter(v) != nil {
		t.Error("BBR does not leave its start-up for a delay")
	}
}
