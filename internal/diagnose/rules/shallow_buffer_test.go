package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A queue of five packets leaves a stream two thirds of its path, of which a test of
// seconds shows more; one that is longer leaves as much to a stream that lacks nothing.
func TestSpeckOfQueue(t *testing.T) {
	v := view.Of(load(t, "testdata/shallow-buffer--five-packets-in-front-of-90-mbit.json.gz"), record.Up)
	own, _, _ := v.Wait()
	if !v.Enough() || own >= speckOfQueue*v.Idle.Mid {
		t.Fatal(v.Rate, v.Capacity, own)
	}
	if f := ShallowBuffer(v); f == nil || f.Cause != finding.ShallowBuffer || f.Confidence != speckSure {
		t.Fatalf("%+v", f)
	}
	v.Losses.Steady = 0
	if f := ShallowBuffer(v); f != nil {
		t.Error("nothing lost since slow start:", f.Summary)
	}
	v.Losses.Steady = 10
	v.Idle.Mid /= 10
	if f := ShallowBuffer(v); f != nil {
		t.Error("a queue of half of the path:", f.Summary)
	}
}
