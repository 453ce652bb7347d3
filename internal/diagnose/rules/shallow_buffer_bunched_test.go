package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A delay that varies and keeps the order explains a slow stream for which no queue is
// too short, unless its sender goes by no loss, or the delay varies little.
func TestHeldByJitter(t *testing.T) {
	v := view.Of(load(t, "testdata/shallow-buffer--jitter-on-a-train.json.gz"), record.Up)
	if Bunched(v) != nil {
		t.Fatal("the queue explains it")
	}
	f := HeldByJitter(v)
	if f == nil || f.Cause != finding.ShallowBuffer || f.Confidence != heldByJitterSure {
		t.Fatalf("%+v", f)
	}
	spread := v.Idle.Dev
	v.Idle.Dev = view.JitterOfRTT * v.Idle.Mid / 2
	if HeldByJitter(v) != nil {
		t.Error("a delay that varies little")
	}
	v.Idle.Dev, v.CC = spread, "bbr"
	if HeldByJitter(v) != nil {
		t.Error("BBR does not leave its start-up for a delay")
	}
}
