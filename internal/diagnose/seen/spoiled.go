package seen

import "unchoke/internal/record"

// Spoiled is the one stream that ran before the UDP ladder of a direction, and the last
// transfer after it, where the ladder's flood spoiled what came after it: an AQM to which
// all of a tunnel is one flow goes on dropping of it for seconds. CAKE's probability of a
// drop grows by 1/256 for each 5 ms that the flow's queue is full, and falls by 1/4096 for
// each that finds it empty (Linux, net/sched/sch_cake.c: cobalt_queue_full,
// cobalt_queue_empty). The stream had filled the path, lost next to nothing and left no
// queue, as only an AQM lets one; the flood waited. Both are nil elsewhere.
func Spoiled(r *record.Run, d record.Direction) (before, after *record.Transfer) {
	if !r.Route.Tunnel.There() {
		return nil, nil
	}
	flooded, idle := false, Spread(r.Echo("idle")).Mid
	waits := func(t *record.Transfer) float64 { return Spread(r.Echo(t.Name)).Mid - idle }
	lost := func(t *record.Transfer) float64 { return LostBy(t, SegmentSize(t, r.Route)) }
	for i := range r.Transfers {
		t := &r.Transfers[i]
		switch {
		case t.Direction != d:
		case t.Protocol == record.UDP && t.UDP != nil && before != nil:
			if before.SteadyRate < filledShare*t.UDP.Delivered {
				return nil, nil
			}
			flooded = flooded || waits(t) > floodWaits
		case t.Protocol != record.TCP || t.Rate <= 0:
		case before == nil && t.Streams == 1:
			before = t
		case flooded && t.SteadyRate < spoiledShare*before.SteadyRate && lost(t) > spoiledLoss:
			after = t
		default:
			return nil, nil // after the flood it had as much, or there was none
		}
	}
	if after == nil || lost(before) > cleanLoss || waits(before) > floodWaits/10 {
		return nil, nil
	}
	if len(OutagesOf(r, idle).All) > 0 {
		return nil, nil // which may have held up what came later
	}
	return before, after
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
