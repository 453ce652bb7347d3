package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// Both RTTs move slowly: the one by others' queues, the other by itself.
func TestWhatMovesTheRTT(t *testing.T) {
	others := newView(load(t, "testdata/congested--beside-a-deep-queue-in-wireguard.json.gz"), record.Up)
	if !others.moves() || others.jittery() || !others.stirs() {
		t.Errorf("others' queues: moves %v, jittery %v, stirs %v", others.moves(), others.jittery(), others.stirs())
	}
	cubic := newView(load(t, "testdata/congested--one-cubic-that-creeps-by-an-eighth.json.gz"), record.Down)
	if !cubic.creeps() || !cubic.stirred() || cubic.idle.Dev < jitterOfRTT*cubic.idle.Mid {
		t.Errorf("one CUBIC stream of others: creeps %v, stirred %v, ±%.3g s of %.3g", cubic.creeps(), cubic.stirred(), cubic.idle.Dev, cubic.idle.Mid)
	}
	for i := range cubic.run.Echo("idle").Probes[:20] { // a handover on a path that is as slow to change
		cubic.run.Echo("idle").Probes[i].RTT += 0.1
	}
	if jumps := newView(cubic.run, record.Down); jumps.creeps() {
		t.Error("a jump of the delay creeps")
	}
	jitter := newView(load(t, "testdata/shallow-buffer--jitter-that-moves-as-a-queue.json.gz"), record.Down)
	if !jitter.moves() || !jitter.jittery() || jitter.stirs() || jitter.sways() || jitter.creeps() {
		t.Errorf("jitter: moves %v, jittery %v, stirs %v, sways %v", jitter.moves(), jitter.jittery(), jitter.stirs(), jitter.sways())
	}
}
