//go:build !slim

package view

import (
	"testing"

	"unchoke/internal/flow/packets"
	"unchoke/internal/live"
)

// What is lost in front of an empty queue of 40 ms is the path's own, what is lost in front
// of a full one is the queue's.
func TestOffQueue(t *testing.T) {
	h := Headers{Packets: live.Packets{Least: 0.05}, Segments: 1000, Lost: []packets.Occasion{
		{Wait: 0, Waited: 0.1},
		{Wait: 0.002, Waited: 0.5},
		{Wait: 0.015, Waited: 0.7},
		{Wait: 0.04, Waited: 0.9},
	}}
	lost, unqueued := h.offQueue(0.04)
	if lost.K != 3 || lost.N != 800 || unqueued != 2 {
		t.Errorf("%d of %d, %d without a queue", lost.K, lost.N, unqueued)
	}
	if lost, unqueued := h.offQueue(0.001); lost.K != 1 || unqueued != 2 {
		t.Errorf("a queue of a millisecond: %d, %d", lost.K, unqueued)
	}
}
