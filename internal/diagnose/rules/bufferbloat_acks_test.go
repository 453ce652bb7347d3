package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Acknowledgements that queue on the way back make everyone there wait: that leads where
// the stream has most of the path nonetheless. Without such a queue, or without a wait that
// counts, there is nothing to say.
func TestAcksBloat(t *testing.T) {
	load := func() *view.View {
		return view.Of(load(t, "testdata/bufferbloat--acknowledgements-that-keep-a-queue.json.gz"), record.Down)
	}
	v := load()
	f, slow := AcksBloat(v), AckLimited(v)
	if f == nil || slow == nil || f.Cause != finding.Bufferbloat {
		t.Fatal(f, slow)
	}
	if f.Severity*f.Confidence <= slow.Severity*slow.Confidence {
		t.Errorf("%.2f of the path: a wait of severity %.2f does not lead before %.2f", v.Rate/v.Capacity, f.Severity, slow.Severity)
	}
	if Bufferbloat(v) != nil {
		t.Error("the same queue is named twice")
	}
	v.Rate = 0.3 * v.Capacity
	if less := AcksBloat(v); less == nil || less.Severity >= f.Severity/2 {
		t.Errorf("where the stream is slow: %+v", less)
	}
	for what, change := range map[string]func(*view.View){
		"no wait":          func(v *view.View) { v.Loaded, v.Ending, v.Busier = v.Idle, v.Idle, v.Idle },
		"eight alone wait": func(v *view.View) { v.Loaded, v.Ending = v.Idle, v.Idle },
	} {
		v := load()
		change(v)
		if f := AcksBloat(v); f != nil {
			t.Errorf("%s: %+v", what, f)
		}
	}
}
