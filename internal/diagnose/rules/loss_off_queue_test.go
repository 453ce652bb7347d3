package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A stream that fills a long queue in spite of losses sinks after the test; where
// each loss fell into a full queue, it does not.
func TestSinking(t *testing.T) {
	const file = "testdata/loss-limited--bursts-that-a-long-queue-outlasts.json.gz"
	v := view.Of(load(t, file), record.Up)
	if n, _ := v.SinksBy(); n != 2 {
		t.Errorf("%d losses off the queue", n)
	}
	f := Sinking(v)
	if f == nil || f.Cause != finding.LossLimited || f.Severity < 0.5 {
		t.Fatalf("%+v", f)
	}
	v.CC = "illinois"
	if f := Sinking(v); f == nil || f.Confidence != sinkingPerhaps {
		t.Errorf("what such losses leave illinois nobody knows: %+v", f)
	}
	v.CC = "cubic"
	full := view.Of(load(t, file), record.Up)
	e := full.Run.Echo(full.One.Name)
	for i := range e.Probes {
		if p := &e.Probes[i]; p.RTT > 0 {
			p.RTT = full.Longest()
		}
	}
	if f := Sinking(full); f != nil {
		t.Errorf("the queue was full all the time: %s", f.Summary)
	}
	v.CC = "bbr"
	if f := Sinking(v); f != nil {
		t.Errorf("BBR does not sink: %s", f.Summary)
	}
}

// A stream's own packets tell what an echo probe misses: that hardly any queue stood when
// some of them were lost.
func TestSinkingByHeaders(t *testing.T) {
	v := view.Of(load(t, "testdata/loss-limited--six-losses-beside-a-long-queue.json.gz"), record.Up)
	o := v.OffQueue()
	if o.Lost.K != 4 || o.Lasting > 0.75*v.Capacity {
		t.Errorf("%d of %d off the queue, which leave %.0f", o.Lost.K, o.Lost.N, o.Lasting)
	}
	if f := Sinking(v); f == nil || f.Cause != finding.LossLimited || f.Confidence != sinksByHeadersSure {
		t.Fatalf("%+v", f)
	}
	for i := range v.Headers().Lost {
		v.Headers().Lost[i].Wait += 0.005
	}
	if f := Sinking(v); f != nil {
		t.Errorf("an AQM drops what has waited: %s", f.Summary)
	}
}
