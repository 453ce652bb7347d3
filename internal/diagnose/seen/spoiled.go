package seen

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Unspoiled is the one stream that ran before the UDP ladder of a direction, where the
// ladder's flood spoiled what came after it: an AQM to which all of a tunnel is one flow
// goes on dropping of it for seconds. CAKE's probability of a drop grows by 1/256 for
// each 5 ms that the flow's queue is full, and falls by 1/4096 for each that finds it
// empty (Linux, net/sched/sch_cake.c: cobalt_queue_full, cobalt_queue_empty). The stream
// had filled the path, lost next to nothing and left no queue, as only an AQM lets one;
// the flood waited. It is nil elsewhere.
func Unspoiled(r *record.Run, d record.Direction) *record.Transfer {
	if !r.Route.Tunnel.There() {
		return nil
	}
	var first *record.Transfer
	flooded, spoiled := false, 0
	idle := waitAt(r, "idle")
	for i := range r.Transfers {
		t := &r.Transfers[i]
		switch {
		case t.Direction != d:
		case t.Protocol == record.UDP && t.UDP != nil && first != nil:
			if first.SteadyRate < filledShare*t.UDP.Delivered {
				return nil
			}
			flooded = flooded || waitAt(r, t.Name)-idle > floodWaits
		case t.Protocol != record.TCP || t.Rate <= 0:
		case first == nil && t.Streams == 1:
			first = t
		case flooded && t.SteadyRate < spoiledShare*first.SteadyRate && LostBy(t, SegmentSize(t, r.Route)) > spoiledLoss:
			spoiled++
		default:
			return nil // after the flood it had as much, or there was none
		}
	}
	if spoiled == 0 || LostBy(first, SegmentSize(first, r.Route)) > cleanLoss || waitAt(r, first.Name)-idle > floodWaits/10 {
		return nil
	}
	if len(OutagesOf(r, idle).All) > 0 {
		return nil // which may have held up what came later
	}
	return first
}

// waitAt is the median RTT of a series of echo probes in seconds.
func waitAt(r *record.Run, name string) float64 {
	return flow.SpreadOf(RTTs(r.Echo(name), 0, math.Inf(1))).Mid
}

const (
	// filledShare is of what UDP got through, at any rate.
	filledShare = 0.85
	// floodWaits is a queue as no AQM leaves it to one stream, in seconds.
	floodWaits = 0.050
	// spoiledShare is of the rate before the flood: of the kept ones all had less than 0.7.
	spoiledShare = 0.75
	// cleanLoss and spoiledLoss are shares of the packets before and after the flood.
	cleanLoss   = 0.002
	spoiledLoss = 0.01
)
