package view

import (
	"testing"

	"unchoke/internal/record"
)

// A rung that came through whole and waited for nothing, faster than what the path is
// taken to carry, tells of a rate that changes.
func TestPassedFaster(t *testing.T) {
	v := Of(load(t, "testdata/healthy--one-bdp-of-queue.json.gz"), record.Up)
	if v.PassedFaster() != 0 {
		t.Fatal(v.PassedFaster())
	}
	gentle := &v.Rungs[0]
	gentle.Delivered = 1.3 * v.Capacity
	if v.PassedFaster() != gentle.Delivered {
		t.Error("a faster rung is not seen")
	}
	gentle.Rise = v.Idle.Mid
	if v.PassedFaster() != 0 {
		t.Error("what stands in a queue has not come through")
	}
}

// Where others stand in the queue eight streams may get more than a flood of UDP does:
// the path carries that much. Where nobody does, what eight streams had for a moment
// is no rate.
func TestCapacityBesideOthers(t *testing.T) {
	v := Of(load(t, "testdata/congested--eight-streams-get-more-than-udp.json.gz"), record.Up)
	top, _ := v.Ceiling()
	v.Eight.Rate, v.Eight.SteadyRate = 1.1*fairGain*top, 1.1*fairGain*top
	if v.pathCapacity() != v.Eight.SteadyRate {
		t.Fatal(v)
	}
	v.smoothness = 2
	if v.pathCapacity() != top {
		t.Error("without others", v.pathCapacity())
	}
}
