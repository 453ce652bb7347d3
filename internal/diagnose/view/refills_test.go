//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/record"
)

// After a flood of ours the RTT is a third of the least without load, and rises again while
// nothing is sent: others fill the queue. Where it stays low, they do not.
func TestRefills(t *testing.T) {
	r := load(t, "testdata/congested--cubics-fill-the-queue-again-after-our-flood.json.gz")
	v := Of(r, record.Down)
	if !v.refills() || Of(r, record.Up).refills() {
		t.Fatalf("down %v, up %v", v.refills(), Of(r, record.Up).refills())
	}
	if o, _ := v.Others(); o.By != ByDraining {
		t.Errorf("others by %v", o.By)
	}
	low := v.Idle.Low / 3
	for i := range r.Echoes {
		if e := &r.Echoes[i]; e.Started > v.Rungs[0].Start {
			for j := range e.Probes {
				e.Probes[j].RTT = min(e.Probes[j].RTT, low)
			}
		}
	}
	if v.refills() {
		t.Error("an RTT that stays low after a flood is taken for a queue that fills again")
	}
}

// A queue that our flood leaves only drains.
func TestDrainsAfterAFlood(t *testing.T) {
	for _, file := range []string{"healthy--eight-streams-queue-in-a-tunnel", "loss-limited--handovers-that-shift-the-delay"} {
		for _, d := range record.Directions {
			if Of(load(t, "testdata/"+file+".json.gz"), d).refills() {
				t.Errorf("%s %s: others fill a queue again", file, d)
			}
		}
	}
}
