package diagnose

import (
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Figures are what a record says of one direction before any rule reads it.
// Rates are goodput in bit/s, times in seconds, shares of 1.
type Figures struct {
	One   *record.Transfer // one TCP stream
	Eight *record.Transfer // nil where not measured
	CC    string           // of the sender; empty where unknown
	MSS   int              // payload of a full segment, in bytes

	Idle   flow.Spread // RTT without load
	Loaded flow.Spread // RTT once the one stream runs steadily
	Busier flow.Spread // RTT under eight streams, in their last quarter

	Rate     float64 // of the one stream, steady
	Capacity float64 // the most that was seen to arrive
	Growing  bool    // the one stream was still speeding up at its end
	Queued   bool    // the one stream filled a queue

	// Lost of Probed UDP packets below the ceiling vanished; Strays of Seen
	// arrived out of order, at any rate.
	Lost, Probed int64
	LostByTCP    int64 // of Lost: what TCP resent where UDP is treated worse
	Strays, Seen int64
	Reordered    bool // the sender took late packets for lost ones
	Losses       flow.Losses

	Overloads []Overload // UDP above the ceiling, in order of rate

	Policer  float64 // rate above which packets are dropped and none waits; 0 for none
	OwnWait  float64 // of packets offered faster than the path carries
	Wait     float64 // of packets beside them
	Waited   bool    // whether and how long they waited is known
	Isolated bool    // the bottleneck keeps flows apart
	Shared   bool    // other traffic is there

	Limits     flow.Limits // of the sender
	Inferred   bool        // from the receiver's end
	InFlight   float64     // bytes
	Advertised float64     // receive window in bytes; 0 where unknown
	Stalls     []flow.Stall
	// NearBuffers says that the path has about as much under way as the hosts'
	// buffers hold.
	NearBuffers bool
}

// Overload is a rung of UDP that offered more than the path carries.
type Overload struct {
	Duration  float64
	Sent      float64 // bit/s
	Delivered float64 // bit/s
	Arrived   float64 // bits, whenever
	Rise      float64 // of the delay beside it; 0 where unknown
}

// FiguresOf reads a direction; ok is false where no TCP stream measured it.
func FiguresOf(r *record.Run, d record.Direction) (f Figures, ok bool) {
	v := newView(r, d)
	if v == nil {
		return f, false
	}
	f = Figures{
		One: v.one, Eight: v.eight, CC: v.cc, MSS: v.mss,
		Idle: v.idle, Loaded: v.loaded, Busier: v.busier,
		Rate: v.rate, Capacity: v.capacity, Growing: v.growing, Queued: v.queued(),
		Lost: v.base.k, Probed: v.base.n, LostByTCP: v.baseByTCP, Strays: v.strays.k, Seen: v.strays.n,
		Reordered: v.reordered(), Losses: v.losses.Losses,
		Isolated: v.isolated(), Limits: v.limits.Limits, Inferred: v.limits.inferred,
		InFlight: v.limits.window, Advertised: v.limits.advertised, Stalls: v.stalls,
	}
	f.NearBuffers = v.reachesBuffers()
	f.Policer, _ = v.policer()
	f.OwnWait, f.Wait, f.Waited = v.wait()
	_, f.Shared = v.others()
	for _, o := range v.overloads() {
		f.Overloads = append(f.Overloads, Overload{o.duration, o.sent, o.delivered, o.arrived, o.rise})
	}
	return f, true
}
