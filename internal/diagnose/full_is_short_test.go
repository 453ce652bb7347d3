package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// Eight streams through one tunnel wait longer than the queue at the bottleneck takes
// when UDP overruns it: their queue is the tunnel's. Where that was not seen, it may be
// the bottleneck's.
func TestFullIsShort(t *testing.T) {
	v := newView(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	if !v.rising || !v.fullIsShort() || bufferbloat(v) != nil {
		t.Fatal(v, bufferbloat(v))
	}
	v.rungs = nil
	v.eight.Streams = 2 // which began with less than waits
	v.one.Egress = nil  // what goes back is not known
	if bufferbloat(v) == nil {
		t.Error("a queue of 105 ms under eight streams alone is no bufferbloat")
	}
}
