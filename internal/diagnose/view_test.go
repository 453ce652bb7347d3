package diagnose

import (
	"testing"

	"unchoke/internal/record"
)

// Where others stand in the queue eight streams may get more than a flood of UDP does:
// the path carries that much. Where nobody does, what eight streams had for a moment
// is no rate.
func TestCapacityBesideOthers(t *testing.T) {
	v := newView(load(t, "testdata/congested--eight-streams-get-more-than-udp.json.gz"), record.Up)
	if v.capacity != v.eight.SteadyRate {
		t.Fatal(v)
	}
	v.smoothness = 2
	if top, _ := v.ceiling(); v.pathCapacity() != top {
		t.Error("without others", v.pathCapacity())
	}
}
