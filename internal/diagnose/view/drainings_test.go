//go:build !slim

package view

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// An RTT that became shorter once, before anything was sent, is no queue that others filled:
// the idle one is what it was between the tests.
func TestShorterOnce(t *testing.T) {
	for _, name := range []string{"healthy--a-queue-that-takes-longer-at-times", "loss-limited--bursts-that-end-streams-beside-policed-udp", "policed--one-burst-of-loss-below-its-rate"} {
		run := load(t, "testdata/"+name+".json.gz")
		want := Of(run, record.Down).Idle.Mid
		idle := run.Echo("idle")
		for i := range idle.Probes {
			if p := &idle.Probes[i]; p.RTT > 0 {
				p.RTT += max(0.01, p.RTT/4)
			}
		}
		v := Of(run, record.Down)
		if v.drains() || math.Abs(v.Idle.Mid-want) > want/10 {
			t.Errorf("%s: drains %v, idle %v s, before %v s", name, v.drains(), v.Idle.Mid, want)
		}
	}
}

// Others who give way to our load, and fill the queue again, make the RTT fall again and again.
func TestDrainsAgain(t *testing.T) {
	for name, want := range map[string]bool{
		"several/congested+receive-window--copies-unlike-the-path": false,
		"congested--two-bbrs": true,
	} {
		v := Of(load(t, "testdata/"+name+".json.gz"), record.Down)
		times, stands := v.drainings()
		if v.DrainsOnce() != want {
			t.Errorf("%s: falls %v, drains %v, %d times, stands %v, refills %v", name, v.falls(), v.drains(), times, stands, v.refills())
		}
	}
}
