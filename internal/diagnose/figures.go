//go:build !slim

package diagnose

import (
	"math"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
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

	Cubic       *record.Transfer // one stream by CUBIC beside one of another algorithm; nil where not measured
	CubicLoaded flow.Spread      // RTT once it runs steadily

	Rate     float64 // of the one stream, steady
	Capacity float64 // the most that was seen to arrive
	Leaves   float64 // the most that left a shaper of the sending host which was full; 0 where none was
	Growing  bool    // the one stream was still speeding up at its end
	Queued   bool    // the one stream filled a queue
	Slows    bool    // the path's own rate is lower at times

	// Lost of Probed UDP packets below the ceiling vanished, and not in the sending
	// host's own queue; Strays of Seen arrived out of order, at any rate.
	Lost, Probed int64
	LostByTCP    int64 // of Lost: what TCP resent where UDP is treated worse
	InRuns, Runs int64 // of Lost: those whose order this host saw, and the runs without a gap in which they were lost
	Strays, Seen int64
	Reordered    bool    // the sender took late packets for lost ones
	DelaysEvenly bool    // delays lie evenly between the least and the most
	Timed        bool    // this host timed packets that were sent evenly below the ceiling
	DelayDev     float64 // of these: the standard deviation of their delays
	Losses       flow.Losses
	LostBeyond   int64 // of the stream's, those behind a shaper of its own host that held it
	OffQueue     view.OffQueue

	Overloads []Overload // UDP above the ceiling, in order of rate

	Policer  float64 // rate above which packets are dropped and none waits; 0 for none
	OwnWait  float64 // of packets offered faster than the path carries
	Wait     float64 // of packets beside them
	Waited   bool    // whether and how long they waited is known
	Isolated bool    // the bottleneck keeps flows apart
	Shared   bool    // other traffic is there
	Constant float64 // what others send who never give way; 0 where that is not known

	Limits     flow.Limits // of the sender
	Inferred   bool        // from the receiver's end
	InFlight   float64     // bytes
	Advertised float64     // receive window in bytes; 0 where unknown
	Unscaled   bool        // the connection has no window scaling
	NoSACK     bool        // the connection has no selective acknowledgements
	Repairs    float64     // share of the time in which losses were therefore repaired one by one
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
	v := view.Of(r, d)
	if v == nil {
		return f, false
	}
	f = Figures{
		One: v.One, Eight: v.Eight, CC: v.CC, MSS: v.MSS,
		Idle: v.Idle, Loaded: v.Loaded, Busier: v.Busier,
		Rate: v.Rate, Capacity: v.Capacity, Growing: v.Growing, Queued: v.Queued(), Slows: v.Slows(),
		Lost: max(v.Base.K-v.BaseOwnDrops(), 0), Probed: v.Base.N, LostByTCP: v.BaseByTCP, Strays: v.Strays.K, Seen: v.Strays.N,
		Reordered: v.Reordered(), DelaysEvenly: v.DelaysEvenly(), Losses: v.Losses.Losses,
		Isolated: v.Isolated(), Limits: v.Limits.Limits, Inferred: v.Limits.Inferred,
		InFlight: v.Limits.InFlight, Advertised: v.Limits.Advertised, Unscaled: v.Unscaled(), NoSACK: v.NoSACK(), Repairs: v.Repairs().Share, Stalls: v.Stalls,
	}
	if t := record.TransferIn(r.Cubic, d); t != nil && !flow.StoodStill(t) {
		f.Cubic, f.CubicLoaded = t, seen.Beside(r, t, seen.SteadyFrom, 1)
	}
	if most := seen.Leaves(r, d); !math.IsInf(most, 1) {
		f.Leaves = most
	}
	f.InRuns, f.Runs = v.BaseRuns()
	if v.UDPLosesAlone() {
		f.Lost, f.Probed, f.InRuns, f.Runs = 0, 0, 0, 0
	}
	f.DelayDev, f.Timed = v.DelayDev()
	f.LostBeyond = hosts.LostBeyond(v)
	f.OffQueue = v.OffQueue()
	f.NearBuffers = v.ReachesBuffers()
	f.Policer, _ = v.Policer()
	f.OwnWait, f.Wait, f.Waited = v.Wait()
	others, shared := v.Others()
	if f.Shared = shared; others.By == view.ByConstant {
		f.Constant = others.Constant.Rate
	}
	for _, o := range v.Overloads() {
		f.Overloads = append(f.Overloads, Overload{o.Duration, o.Sent, o.Delivered, o.Arrived, o.Rise})
	}
	return f, true
}
