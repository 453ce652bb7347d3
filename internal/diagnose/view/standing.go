package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/flow"
	"unchoke/internal/wire"
)

// Standing looks for the queue under one stream, then under eight, then, for a
// stream that was still filling it when it ended, in the UDP rungs that
// overflowed it: a loss-based sender goes on until the queue is full.
func (v *View) Standing() (by string, under flow.Spread, alone, found bool) {
	switch {
	case v.bbrStarts():
		// The queue is the start-up's, which the stream did not outlast.
	case v.Slows() && !bloated(v.Idle, v.whileLoaded()):
		// It stands only while the path's own rate is down.
	case bloated(v.Idle, v.Loaded):
		return v.One.Name, v.Loaded, true, true
	case bloated(v.Idle, v.Ending):
		return v.One.Name, v.Ending, true, true
	case v.Eight != nil && bloated(v.Idle, v.Busier) && v.crowdWaits():
		return v.Eight.Name, v.Busier, !v.Slow(), true
	case v.crowdWaitsLittle():
		// An AQM that a flood of UDP overran before it answered.
	case v.Ending.Mid-v.Idle.Mid < v.few():
		// The stream keeps no queue: a packet in front of it on a slow line takes
		// that long, and no queue manages that away.
	case v.Losses.Steady > 0:
		// What queues there drops before it is as long as UDP's flood made it.
	case v.Rising && v.Ending.Mid > fillingRise*v.Idle.Mid && !v.Slow() && congestion.LossBasedOrUnknown(v.CC):
		for _, r := range v.Overloads() {
			full := r.Spread
			full.Mid = (full.Mid - v.shift()) * cubicMean
			if bloated(v.Idle, full) {
				return r.Name, full, true, true
			}
		}
	}
	return "", flow.Spread{}, false, false
}

// crowdWaits says that what eight streams wait for is a queue that stands this way: more
// packets than all of them sent at once when they began (RFC 6928), and not clearly
// more than the queue held when UDP overflowed it, as where their acknowledgements
// queue on the way back.
func (v *View) crowdWaits() bool {
	begun := float64(v.Eight.Streams*initialWindow) * v.few() / 2
	full := v.FullQueue()
	return v.Busier.Mid-v.Idle.Mid > begun && (full <= 0 || v.Busier.Mid < overFull*full)
}

// FullIsShort says that packets waited too little for bufferbloat while UDP overran
// the queue at the bottleneck: what eight streams wait for longer stands elsewhere, as
// where a tunnel's own packets queue.
func (v *View) FullIsShort() bool {
	own, _, known := v.Wait()
	full := v.Idle
	full.Mid += own
	return known && !bloated(v.Idle, full)
}

// shift is how far the RTT stood above the idle one beside a rung that the path
// carried, in seconds: the path's own delay, as after a handover, and no queue.
func (v *View) shift() float64 {
	most := 0.0
	for _, r := range v.Rungs {
		if r.Risen && !r.Overloaded(v.Rungs) {
			most = max(most, r.Rise)
		}
	}
	return most
}

// crowdWaitsLittle says that eight streams filled the path, which fill any queue
// that lets them, and that the RTT under them was known.
func (v *View) crowdWaitsLittle() bool {
	return v.Eight != nil && v.Busier.N > 0 && v.Eight.SteadyRate > baselineShare*v.Capacity
}

// NearlyBloated is how much longer the round trip takes under load, where that is
// not far from what counts as bufferbloat; 0 elsewhere. How long a queue is that a
// stream of seconds fills differs by so much from run to run.
func (v *View) NearlyBloated() float64 {
	most := 0.0
	for _, under := range []flow.Spread{v.Loaded, v.Ending, v.Busier} {
		if under.N > 0 && v.Idle.N > 0 && under.Mid > BloatFactor*v.Idle.Mid {
			most = max(most, under.Mid-v.Idle.Mid)
		}
	}
	if most < nearExcess*BloatExcess {
		return 0
	}
	return most
}

// few is how long the bottleneck takes for the packets of which any queue holds
// one or two, in seconds: one on its way out, one that waits.
func (v *View) few() float64 {
	return 2 * float64(8*(v.MSS+wire.ACK)) / max(v.Capacity, 1)
}

func bloated(idle, load flow.Spread) bool {
	return idle.N > 0 && load.N > 0 && load.Mid > BloatFactor*idle.Mid && load.Mid > idle.Mid+BloatExcess
}
