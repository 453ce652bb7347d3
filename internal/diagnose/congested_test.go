package diagnose

import (
	"slices"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Others' queue makes a sender leave slow start early: that is their doing, and no
// cause of its own.
func TestOthersEndSlowStart(t *testing.T) {
	run := load(t, "testdata/congested--one-cubic-ends-slow-start.json.gz")
	v := view.Of(run, record.Up)
	if exit, known := v.SlowStartExit(); !known || exit >= 0.5*v.BDP() {
		t.Fatalf("slow start ended with %v bytes under way (%v)", exit, known)
	}
	if causes, _ := of(Diagnose(run), record.Up); !slices.Equal(causes, []finding.Cause{finding.Congested}) {
		t.Errorf("up: %v", causes)
	}
}
