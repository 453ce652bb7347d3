package diagnose

import (
	"fmt"
	"math"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// view is what a record says of one direction, in the terms in which rules
// think. Ratios and shares are of 1; rates are goodput in bit/s; times are in
// seconds.
type view struct {
	run *record.Run      // all that is known
	dir record.Direction // the one of this view

	one   *record.Transfer // one TCP stream; never nil
	eight *record.Transfer // eight of them, where measured
	rungs []rung           // the UDP ladder, in order of rate

	cc  string // of the sender, empty where unknown
	mss int    // payload of a full segment, bytes

	idle   flow.Spread // RTT without load
	loaded flow.Spread // RTT once the one stream runs steadily
	ending flow.Spread // RTT in the stream's last quarter
	rising bool        // it was still rising at the end: a queue was filling
	busier flow.Spread // RTT under eight streams, in their last quarter

	tcpRise float64      // of the senders' own RTT over the idle one, under load
	served  float64      // rate at which the path served the ladder up, where some of it was late
	late    float64      // how late what was sent up faster than the path carries arrived: the wait in its queue
	stalls  []flow.Stall // times in which the one stream stood still
	out     outages      // in which nothing came through, in either direction

	floor      float64 // the least RTT under load
	smoothness float64 // of the idle RTT: von Neumann's ratio

	rate      float64 // what one stream carries steadily
	growing   bool    // it was still speeding up at the end
	baseByTCP int64   // of what was lost at rates the path can carry, what TCP resent
	capacity  float64 // what the path can carry, as far as was seen

	carrier carrier    // who carried the stream's packets
	limits  limits     // what held the sender back, for what share of the time
	losses  losses     // what the stream's retransmits were
	base    proportion // UDP loss at rates the path can carry
	strays  proportion // UDP packets that arrived out of order
}

// newView returns nil where the direction was not measured by a TCP stream.
func newView(r *record.Run, d record.Direction) *view {
	v := &view{run: r, dir: d}
	for i := range r.Transfers {
		t := &r.Transfers[i]
		switch {
		case t.Direction != d:
		case t.Protocol == record.UDP && t.UDP != nil && t.UDP.Packets > 0:
			v.rungs = append(v.rungs, newRung(t))
		case t.Protocol == record.TCP && t.Streams == 1 && t.Rate > 0 && v.one == nil && !flow.StoodStill(t):
			v.one = t // of a path on which large packets vanish, the one whose segments pass
		case t.Protocol == record.TCP && t.Streams > 1 && t.Rate > 0 && v.eight == nil:
			v.eight = t
		}
	}
	if v.one == nil {
		return nil
	}
	throttle, throttled := worse(r, d, false)
	if throttled {
		v.rungs = nil // they tell how UDP is treated, not what the path does to TCP
	}
	v.carrier = carrierOf(v.one, r.Route.Tunnel)
	v.sameWay()
	v.cc = v.one.CC
	if inUserspace(r.Route.Tunnel, v.sender()) {
		v.cc = "" // the kernel's is that of the program's own socket, not of the path's
	}
	v.mss = segmentSize(v.one, r.Route)
	v.idle = flow.SpreadOf(rtts(r.Echo("idle"), 0, math.Inf(1)))
	if before := flow.SpreadOf(rtts(r.Echo(v.one.Name), math.Inf(-1), 0)); v.idleElsewhere() && before.N > 0 && before.Mid < v.idle.Mid {
		v.idle = before
	}
	v.idle = v.idle.Or(tcpFloor(v.one))
	v.eight = withoutReleased(v.eight, v.idle.Mid)
	under := func(t *record.Transfer, from, to float64) flow.Spread {
		return flow.SpreadOf(rtts(r.Echo(t.Name), from*t.Duration, to*t.Duration))
	}
	v.loaded = under(v.one, steadyFrom, 1).Or(tcpRTT(v.one))
	v.ending = under(v.one, 0.75, 1).Or(v.loaded)
	v.rising = v.ending.Mid > 1.05*under(v.one, 0.5, 0.75).Or(v.ending).Mid
	if v.eight != nil {
		v.busier = under(v.eight, 0.75, 1)
	}
	v.rate = v.one.SteadyRate
	v.growing = flow.Goodput(v.one.Goodput).Growing(v.idle.Mid, v.one.Duration)

	v.out = outagesOf(r, v.idle.Mid)
	v.rungs = v.whole(v.rungs)
	for i := range v.rungs {
		v.rungs[i].weigh(r.Echo(v.rungs[i].name), v.idle.Mid)
	}
	if d == record.Up {
		v.serve(r.Arrivals)
	}
	slices.SortStableFunc(v.rungs, func(a, b rung) int { return int(a.sent - b.sent) })
	v.tcpRise = tcpRiseOf(v)
	v.stalls = stallsOf(v)
	v.floor = floorOf(v)
	v.smoothness = stats.VonNeumann(rtts(r.Echo("idle"), 0, math.Inf(1)))
	v.capacity = v.pathCapacity()
	v.base, v.strays = v.baseline()
	if throttled {
		v.base.add(throttle.tcp.Lost, throttle.tcp.Packets) // evenly sent, below the ceiling
		v.baseByTCP = throttle.tcp.Lost
	}
	if alike := likewise(r, d); !throttled {
		v.base.add(alike.k, alike.n)
	}
	v.losses = lossesOf(v.one, v.mss)
	v.limits = limitsOf(v)
	return v
}

// slow says that one stream carries clearly less than the path can; where
// nothing but the stream was measured, that it lost without filling any queue.
func (v *view) slow() bool {
	if v.alone() {
		return !v.queued() && v.losses.Resent > 0
	}
	return v.rate < slowShare*v.capacity || v.standsByItself()
}

// tcp lists the transfers of TCP streams.
func (v *view) tcp() []*record.Transfer {
	if v.eight == nil {
		return []*record.Transfer{v.one}
	}
	return []*record.Transfer{v.one, v.eight}
}

// serve corrects the ladder up by what arrived late: no rung was delivered
// faster than the path served them all.
func (v *view) serve(arrivals []record.FarInterval) {
	served, late, found := serviceRate(v.rungs, arrivals, v.idle)
	if !found {
		return
	}
	v.late, v.served = late, served
	for i := range v.rungs {
		v.rungs[i].delivered = min(v.rungs[i].delivered, served)
	}
}

// stallsOf lists the times in which the one stream stood still.
func stallsOf(v *view) []flow.Stall {
	for _, s := range v.one.Series {
		if len(s.Samples) > 0 {
			return flow.Stalls(s, flow.All, max(v.loaded.Mid, v.idle.Mid))
		}
	}
	return nil
}

// standsByItself says that the one stream stood still while the path did not: not in one
// of the outages that echo probes met too, nor in the timeouts that follow it, which are
// as long again (RFC 6298 §5.5).
func (v *view) standsByItself() bool {
	return slices.ContainsFunc(v.stalls, func(s flow.Stall) bool {
		return !v.outIn(s.At, s.At+s.Duration)
	})
}

// outIn says that an outage, or the timeouts after it, fell into a span of the one
// stream's time, in seconds since it began.
func (v *view) outIn(from, to float64) bool {
	return slices.ContainsFunc(v.out.all, func(o outage) bool {
		return v.one.Started+from < o.at+2*o.duration+v.idle.Mid && o.at < v.one.Started+to
	})
}

// stood is the share of its time in which the one stream stood still.
func (v *view) stood() float64 {
	sum := 0.0
	for _, s := range v.stalls {
		sum += s.Duration
	}
	return stats.Clamp(sum/max(v.one.Duration, 1e-3), 0, 1)
}

// alone says that one stream is all that was measured of the direction, or beside it
// only what was too slow to show that it is slow: what the path can carry is not
// known then.
func (v *view) alone() bool {
	return v.eight == nil && !slices.ContainsFunc(v.rungs, func(r rung) bool {
		return r.sent >= v.rate/slowShare || r.overloaded(v.rungs)
	})
}

// shortfall is the share of the path's capacity that one stream leaves; half,
// where that is not known.
func (v *view) shortfall() float64 {
	if v.alone() && v.slow() {
		return 0.5
	}
	if v.capacity <= 0 {
		return 0
	}
	return stats.Clamp(1-v.rate/v.capacity*(1-v.stood()), 0, 1)
}

// pathCapacity is the most that was seen to arrive, whatever carried it.
func (v *view) pathCapacity() float64 {
	most := v.rate
	if v.eight != nil {
		most = max(most, v.eight.SteadyRate)
	}
	for _, r := range v.rungs {
		if !r.unfinished() {
			most = max(most, r.delivered)
		}
	}
	// Where rates above the ceiling were offered, what came through then is
	// the ceiling: a burst that a bucket or a queue swallowed is not.
	if top, ok := v.ceiling(); ok {
		most = max(v.rate, min(most, top))
	}
	// Where the bottleneck serves flows in turn, one flow's flood is its share,
	// and several flows have several; so it is where others stand in its queue.
	if v.eight != nil && (v.isolated() || v.stirred() && v.fairShare()) {
		most = max(most, v.eight.SteadyRate)
	}
	if c, found := v.constantOthers(); found {
		most = c.line
	}
	return most
}

// ceiling is what UDP delivers when clearly more is offered than the path
// carries, and whether that was seen: the lesser of what the longest such rung
// and the fastest one brought. Of a short one a queue takes in much; a bucket
// that is full lets much of the first pass.
func (v *view) ceiling() (rate float64, found bool) {
	longest := 0.0
	over := v.overloads()
	for _, r := range over {
		if r.duration >= longest {
			rate, longest, found = r.delivered, r.duration, true
		}
	}
	if found {
		rate = min(rate, over[len(over)-1].delivered)
	}
	return rate, found
}

// baseline pools the rungs that the path could carry, and did: what is lost while a
// queue stands, it lost.
func (v *view) baseline() (lost, strays proportion) {
	for _, r := range v.rungs {
		if r.reordered >= 0 {
			strays.add(r.reordered, r.packets)
		}
		if r.sent < baselineShare*v.capacity && !r.overloaded(v.rungs) && !v.inQueue(r) {
			lost.add(r.lost, r.packets)
		}
	}
	return lost, strays
}

// randomLoss is the best estimate of the loss that does not answer to the
// rate, and how many losses it rests on. Where UDP saw some, that is it: UDP
// neither fills the path nor takes the late for lost. Else it is the stream's
// own loss, as far as UDP's silence allows it.
func (v *view) randomLoss() (p float64, events int64) {
	if v.base.k >= 2 || v.base.n > 0 && v.reordered() {
		return v.base.mean(), v.base.k
	}
	p = v.losses.steadyRatio()
	if v.losses.steady == 0 {
		p = v.losses.RealRatio()
	}
	if float64(v.base.n) >= fairSample {
		p = min(p, v.base.high())
	}
	return p, v.losses.steady
}

// queued says that the stream filled a queue: its RTT stands above the idle
// one by more than noise.
func (v *view) queued() bool {
	return v.loaded.N > 0 && v.loaded.Mid-v.idle.Mid > max(queueRise*v.idle.Mid, 4*v.idle.Noise(), 0.001)
}

// lossy says that packets vanish at rates the path can carry.
func (v *view) lossy() bool {
	if _, busy := v.others(); busy {
		return false // others' queue loses our packets as well
	}
	if v.base.k >= 2 {
		return true
	}
	if v.alone() {
		// Its start may have overflowed a queue that it does not reach again.
		return v.losesUnloaded() && v.losses.steady > 0 && lossBasedOrUnknown(v.cc)
	}
	if _, policed := v.policer(); v.standsByItself() && v.losses.Real > 0 && !policed {
		return true // no queue of a working path makes a stream stand still
	}
	if v.reordered() || v.queued() || v.losses.Real == 0 || v.losses.steady == 0 && !v.deep() {
		return false
	}
	if _, policed := v.policer(); policed {
		return false // what the stream lost is the policer's
	}
	if at, ok := v.rttAtLoss(); ok && at > lossRise*v.idle.Mid {
		return false // it lost when its own bursts had filled a queue
	}
	if !v.deep() && v.base.n > 0 {
		return false // its own bursts may have overflowed a short queue
	}
	// The stream lost below the ceiling while no queue stood. That is random
	// loss, unless so little as UDP's silence allows would not make it slow.
	return float64(v.base.n) < fairSample || theory.CubicRate(v.idle.Mid, v.base.high(), v.mss) < 2*v.rate
}

// deep says that the bottleneck has a queue so long that a stream which loses
// while none of it stands has not overflowed it.
func (v *view) deep() bool {
	_, others, known := v.wait()
	return known && others > shallowQueue*v.idle.Mid || v.busier.N > 0 && v.busier.Mid > (1+shallowQueue)*v.idle.Mid
}

// expected is what a loss-based sender would carry here by the model.
func (v *view) expected() float64 {
	p, _ := v.randomLoss()
	return min(theory.CubicRate(v.idle.Mid, p, v.mss), v.capacity)
}

// sender is the host that sends in this direction, near or far.
func (v *view) sender() string { return finding.Sender.Host(v.dir) }

// receiver is the other one.
func (v *view) receiver() string { return finding.Receiver.Host(v.dir) }

// segmentSize is the payload of a full segment in bytes: as the connection tells, else as
// the route's MTU leaves it.
func segmentSize(t *record.Transfer, route record.Route) int {
	if n := flow.SegmentSize(t.Series); n > 0 {
		return n
	}
	if route.MTU > 100 {
		return route.MTU - ipTCPOverhead
	}
	return 1448
}

// ipTCPOverhead: 20 bytes of IPv4, 20 of TCP, 12 of timestamps (RFC 7323).
const ipTCPOverhead = 52

// String is for tests that fail.
func (v *view) String() string {
	return fmt.Sprintf("%s: one %.3g of %.3g bit/s, rtt %.4g→%.4g s, cc %s, base %v, strays %v, losses %+v, limits %+v",
		v.dir, v.rate, v.capacity, v.idle.Mid, v.loaded.Mid, v.cc, v.base, v.strays, v.losses, v.limits)
}
