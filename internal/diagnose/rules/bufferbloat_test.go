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

// What eight streams alone fill is a guess where one leaves most of it empty.
func TestCrowdFills(t *testing.T) {
	v := view.Of(load(t, "testdata/healthy--eight-streams-queue-in-a-tunnel.json.gz"), record.Down)
	v.Rungs, v.Eight.Streams, v.One.Egress, v.Busier.Mid = nil, 2, nil, v.Idle.Mid+0.3
	sure := func(rise float64) float64 {
		v.Loaded.Mid, v.Ending.Mid = v.Idle.Mid+rise, v.Idle.Mid+rise
		f := Bufferbloat(v)
		if f == nil {
			t.Fatalf("a queue of 300 ms under eight streams is none where one waits for %g s", rise)
		}
		return f.Confidence
	}
	if little, much := sure(0.005), sure(0.09); little > crowdMost || much <= crowdMost {
		t.Errorf("%.2f sure where one stream waits for 5 ms, %.2f where it waits for 90", little, much)
	}
}
