package diagnose

import (
	"testing"

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
