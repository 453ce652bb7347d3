package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A stream that fills a long queue in spite of losses sinks after the test; where
// each loss fell into a full queue, it does not.
func TestSinking(t *testing.T) {
	const file = "testdata/loss-limited--bursts-that-a-long-queue-outlasts.json.gz"
	v := newView(load(t, file), record.Up)
	if n, _ := v.sinksBy(); n != 2 {
		t.Errorf("%d losses off the queue", n)
	}
	f := sinking(v)
	if f == nil || f.Cause != finding.LossLimited || f.Severity < 0.5 {
		t.Fatalf("%+v", f)
	}
	full := newView(load(t, file), record.Up)
	e := full.run.Echo(full.one.Name)
	for i := range e.Probes {
		if p := &e.Probes[i]; p.RTT > 0 {
			p.RTT = full.longest()
		}
	}
	if f := sinking(full); f != nil {
		t.Errorf("the queue was full all the time: %s", f.Summary)
	}
	v.cc = "bbr"
	if f := sinking(v); f != nil {
		t.Errorf("BBR does not sink: %s", f.Summary)
	}
}

// What follows within a round trip is of the same loss.
func TestLossTimes(t *testing.T) {
	for name, dir := range map[string]record.Direction{
		"loss-limited--bursts-that-a-long-queue-outlasts": record.Up,   // by what the sender resent
		"loss-limited--bursts-on-the-ocean":               record.Down, // by what came out of order
	} {
		v := newView(load(t, "testdata/"+name+".json.gz"), dir)
		all := v.lossTimes()
		if len(all) != 3 {
			t.Errorf("%s: %.2f", name, all)
		}
		for i := 1; i < len(all); i++ {
			if all[i]-all[i-1] < v.idle.Mid {
				t.Errorf("%s: %.2f within a round trip", name, all)
			}
		}
	}
}
