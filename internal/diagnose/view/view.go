// Package view is what a record says of one direction: what one stream carried and
// what the path can carry, what held the sender back, what stood in queues, what was
// lost, and what others do there. All of it is fact, so that rules put it into words
// and no rule asks another. Rates are goodput in bit/s, times are in seconds, shares
// of 1.
package view

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// View is what a record says of one direction, in the terms in which rules think.
type View struct {
	Run *record.Run      // all that is known
	Dir record.Direction // the one of this view

	One   *record.Transfer // one TCP stream; never nil
	Eight *record.Transfer // eight of them, where measured
	// Spoiled is what carried the last of TCP, if our own flood made the path drop of all
	// that came after it: then One is the stream before the flood, and Eight is nil.
	Spoiled *record.Transfer
	Rungs   []seen.Rung // the UDP ladder, in order of rate

	CC  string // of the sender, empty where unknown
	MSS int    // payload of a full segment, bytes

	Idle   flow.Spread // RTT without load
	Loaded flow.Spread // RTT once the one stream runs steadily
	Ending flow.Spread // RTT in the stream's last quarter
	Rising bool        // it was still rising at the end: a queue was filling
	Busier flow.Spread // RTT under eight streams, in their last quarter

	tcpRise float64      // of the senders' own RTT over the idle one, under load
	served  float64      // rate at which the path served the ladder up, where some of it was late
	late    float64      // how late what was sent up faster than the path carries arrived: the wait in its queue
	Stalls  []flow.Stall // times in which the one stream stood still
	Out     seen.Outages // in which nothing came through, in either direction

	floor       float64 // the least RTT under load
	leastBeside float64 // seen.LeastBeside
	smoothness  float64 // of the idle RTT: von Neumann's ratio

	Rate      float64 // what one stream carries steadily
	Growing   bool    // it was still speeding up at the end
	BaseByTCP int64   // of what was lost at rates the path can carry, what TCP resent
	Capacity  float64 // what the path can carry, as far as was seen

	Carrier seen.Carrier    // who carried the stream's packets
	Limits  Limits          // what held the sender back, for what share of the time
	Losses  seen.Losses     // what the stream's retransmits were
	Base    seen.Proportion // UDP loss at rates the path can carry
	Strays  seen.Proportion // UDP packets that arrived out of order

	headers *Headers // once they were asked for
	line    *float64 // by the slots of the one stream's packets, once that was asked for
}

// Of returns nil where the direction was not measured by a TCP stream. Each step reads what
// those before it have found.
func Of(r *record.Run, d record.Direction) *View {
	v := &View{Run: r, Dir: d, One: seen.OneStream(r, d)}
	if v.One == nil {
		return nil
	}
	throttle, throttled := seen.WorseForUDP(r, d, false)
	v.readTransfers()
	if throttled {
		v.Rungs = nil // they tell how UDP is treated, not what the path does to TCP
	}
	v.readSender()
	v.Losses = seen.LossesOf(v.One, v.MSS)
	v.readEchoes()
	v.readLadder()
	v.tcpRise = tcpRiseOf(v)
	v.Stalls = stallsOf(v)
	v.floor, v.leastBeside = floorOf(v), seen.LeastBeside(r)
	v.smoothness = stats.VonNeumann(seen.RTTs(r.Echo("idle"), 0, math.Inf(1)))
	v.Capacity = v.pathCapacity()
	v.Base, v.Strays = v.baseline()
	if throttled {
		v.Base.Add(throttle.TCP.Lost, throttle.TCP.Packets) // evenly sent, below the ceiling
		v.BaseByTCP = throttle.TCP.Lost
	} else {
		alike := seen.LostLikewise(r, d)
		v.Base.Add(alike.K, alike.N)
	}
	v.Limits = limitsOf(v)
	return v
}

// readTransfers finds the streams that are judged, and the rungs of the UDP ladder.
func (v *View) readTransfers() {
	if before, after := seen.Spoiled(v.Run, v.Dir); before != nil {
		v.One, v.Spoiled = before, after
	}
	v.Rungs = rungsOf(v.Run, v.Dir)
	for i := range v.Run.Transfers {
		t := &v.Run.Transfers[i]
		if t.Direction == v.Dir && t.Protocol == record.TCP && t.Streams > 1 && t.Rate > 0 && v.Eight == nil && v.Spoiled == nil {
			v.Eight = t
		}
	}
}

// rungsOf are the rungs of a direction's UDP ladder, as they came.
func rungsOf(r *record.Run, d record.Direction) (rungs []seen.Rung) {
	for i := range r.Transfers {
		if t := &r.Transfers[i]; t.Direction == d && t.Protocol == record.UDP && t.UDP != nil && t.UDP.Packets > 0 {
			rungs = append(rungs, seen.NewRung(r, t))
		}
	}
	return rungs
}

// readSender finds who carried the stream, and how it sends.
func (v *View) readSender() {
	v.Carrier = seen.CarrierOf(v.One, v.Run.Route.Tunnel)
	v.sameWay()
	v.CC = v.One.CC
	if seen.InUserspace(v.Run.Route.Tunnel, v.Sender()) {
		v.CC = "" // the kernel's is that of the program's own socket, not of the path's
	}
	v.MSS = seen.SegmentSize(v.One, v.Run.Route)
}

// readEchoes finds the RTT without load and under each, and what the streams carried where
// nothing cut them short.
func (v *View) readEchoes() {
	v.Idle = seen.Spread(v.Run.Echo("idle"))
	if before := flow.SpreadOf(seen.RTTs(v.Run.Echo(v.One.Name), math.Inf(-1), 0)); v.idleElsewhere() && before.N > 0 && before.Mid < v.Idle.Mid {
		v.Idle = before
	}
	if v.floor = floorOf(v); v.Idle.N == 0 || v.shortened() {
		v.Idle = v.atRest()
	}
	v.Idle = v.Idle.Or(seen.TCPFloor(v.One))
	v.Out = seen.OutagesOf(v.Run, v.Idle.Mid)
	if v.Eight != nil && v.Out.Cut(v.Eight) {
		v.Eight = nil // cut short, they tell nothing
	}
	v.Eight = seen.WithoutReleased(v.Eight, v.Idle.Mid, seen.Leaves(v.Run, v.Dir))
	v.Loaded = seen.Beside(v.Run, v.One, seen.SteadyFrom, 1).Or(seen.TCPRTT(v.One))
	v.Ending = seen.Beside(v.Run, v.One, 0.75, 1).Or(v.Loaded)
	v.Rising = v.Ending.Mid > 1.05*seen.Beside(v.Run, v.One, 0.5, 0.75).Or(v.Ending).Mid
	if v.Eight != nil {
		v.Busier = seen.Beside(v.Run, v.Eight, 0.75, 1)
	}
	v.Rate = v.lasting()
	v.Growing = flow.Goodput(v.One.Goodput).Growing(v.Idle.Mid, v.One.Duration)
}

// readLadder weighs the rungs by the echoes beside them, and orders them by rate.
func (v *View) readLadder() {
	v.Rungs = v.whole(v.Rungs)
	for i := range v.Rungs {
		v.Rungs[i].Weigh(v.Run.Echo(v.Rungs[i].Name), v.Idle.Mid)
	}
	if v.Dir == record.Up {
		v.serve(v.Run.Arrivals)
	}
	sort.SliceStable(v.Rungs, func(i, j int) bool { return v.Rungs[i].Sent < v.Rungs[j].Sent })
}

// lasting is what the one stream carried steadily. Where a shorter one before it had more
// from its first second on than this one has in all its time since slow start, this one did
// not speed up but met what comes and goes: its mean counts.
func (v *View) lasting() float64 {
	one := v.One
	began := (1 + startRTTs*v.Idle.Mid) / one.Duration
	if began >= 0.5 {
		return one.SteadyRate
	}
	mean := one.Goodput(began, 1)
	for _, t := range v.lone() {
		if t.Duration < one.Duration && t.Rate > mean {
			return min(one.SteadyRate, mean)
		}
	}
	return one.SteadyRate
}

// lone are the transfers of one stream of this direction with segments as the one
// stream's.
func (v *View) lone() []*record.Transfer {
	var all []*record.Transfer
	for i := range v.Run.Transfers {
		t := &v.Run.Transfers[i]
		if t.Direction == v.Dir && t.Protocol == record.TCP && t.Streams == 1 && t.MSS == v.One.MSS {
			all = append(all, t)
		}
	}
	return all
}

// Slowest is the least that one of the lone streams carried steadily, in bit/s.
func (v *View) Slowest() float64 {
	least := v.Rate
	for _, t := range v.lone() {
		least = min(least, t.SteadyRate)
	}
	return least
}

// startRTTs: slow start to 1 Gbit/s at 100 ms, or to 100 Mbit/s at 600, takes ten, and
// making up for what it lost as many.
const startRTTs = 20

// Slow says that one stream carries clearly less than the path can; where
// nothing but the stream was measured, that it lost without filling any queue.
func (v *View) Slow() bool {
	if v.Alone() {
		return !v.Queued() && v.Losses.Resent > 0
	}
	return v.Rate < SlowShare*v.Capacity && !v.FillsBetween() || v.StandsByItself()
}

// Enough says that one stream carries so much of what the path can that a third more is
// not to be had.
func (v *View) Enough() bool { return v.Rate >= ShallowShare*v.Capacity }

// LacksAThird says that the path can carry a third more than the stream does.
func (v *View) LacksAThird() bool { return GainMatters*v.Rate < v.Capacity }

// tcp lists the transfers of TCP streams.
func (v *View) tcp() []*record.Transfer {
	if v.Eight == nil {
		return []*record.Transfer{v.One}
	}
	return []*record.Transfer{v.One, v.Eight}
}

// serve corrects the ladder up by what arrived late: no rung was delivered
// faster than the path served them all.
func (v *View) serve(arrivals []record.FarInterval) {
	served, late, found := seen.ServiceRate(v.Rungs, arrivals, v.Idle)
	if !found {
		return
	}
	v.late, v.served = late, served
	for i := range v.Rungs {
		v.Rungs[i].Delivered = min(v.Rungs[i].Delivered, served)
	}
}

// Alone says that one stream is all that was measured of the direction, or beside it
// only what was too slow to show that it is slow: what the path can carry is not
// known then.
func (v *View) Alone() bool {
	return v.Eight == nil && !slices.ContainsFunc(v.Rungs, func(r seen.Rung) bool {
		return r.Lost < r.Packets && (r.Sent >= v.Rate/SlowShare || r.Overloaded(v.Rungs))
	})
}

// Shortfall is the share of the path's capacity that one stream leaves; half,
// where that is not known.
func (v *View) Shortfall() float64 {
	if v.Alone() && v.Slow() {
		return 0.5
	}
	if v.Capacity <= 0 {
		return 0
	}
	return stats.Clamp(1-v.Rate/v.Capacity*(1-v.Stood()), 0, 1)
}

// ShortfallWhileRuns is the same of the time in which no outage interrupts the stream.
func (v *View) ShortfallWhileRuns() float64 {
	if len(v.Out.All) == 0 || v.Alone() || v.Capacity <= 0 {
		return v.Shortfall()
	}
	return stats.Clamp(1-v.Running()/v.Capacity, 0, 1)
}

// Sender is the host that sends in this direction, near or far.
func (v *View) Sender() string { return finding.Sender.Host(v.Dir) }

// Receiver is the other one.
func (v *View) Receiver() string { return finding.Receiver.Host(v.Dir) }

// String is for tests that fail.
func (v *View) String() string {
	return fmt.Sprintf("%s: one %.3g of %.3g bit/s, rtt %.4g→%.4g s, cc %s, base %v, strays %v, losses %+v, limits %+v",
		v.Dir, v.Rate, v.Capacity, v.Idle.Mid, v.Loaded.Mid, v.CC, v.Base, v.Strays, v.Losses, v.Limits)
}

// BDP is the path's bandwidth-delay product in bytes.
func (v *View) BDP() float64 { return v.Capacity / 8 * v.Idle.Mid }

// Queued says that the stream filled a queue: its RTT stands above the idle
// one by more than noise.
func (v *View) Queued() bool {
	return v.Loaded.N > 0 && v.Loaded.Mid-v.Idle.Mid > max(QueueRise*v.Idle.Mid, 4*v.Idle.Noise(), 0.001)
}
