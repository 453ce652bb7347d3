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
	jitter := newView(load(t, "testdata/shallow-buffer--jitter-that-moves-as-a-queue.json.gz"), record.Down)
	if !jitter.moves() || !jitter.jittery() || jitter.stirs() || jitter.sways() {
		t.Errorf("jitter: moves %v, jittery %v, stirs %v, sways %v", jitter.moves(), jitter.jittery(), jitter.stirs(), jitter.sways())
	}
}
