package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// Eight streams through one tunnel wait longer than the queue at the bottleneck takes
// when UDP overruns it: their queue is the tunnel's. Where that was not seen, it may be
// the bottleneck's.
func TestFullIsShort(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	if !v.Rising || !v.FullIsShort() || Bufferbloat(v) != nil {
		t.Fatal(v, Bufferbloat(v))
	}
	v.Rungs = nil
	v.Eight.Streams = 2 // which began with less than waits
	v.One.Egress = nil  // what goes back is not known
	if Bufferbloat(v) == nil {
		t.Error("a queue of 105 ms under eight streams alone is no bufferbloat")
	}
}
