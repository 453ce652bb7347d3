package diagnose

import (
	"fmt"
	"math"
	"slices"

	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// view is what a record says of one direction, in the terms in which rules
// think. Ratios and shares are of 1; rates are goodput in bit/s; times are in
// seconds.
type view struct {
	run *record.Run
	dir record.Direction

	one   *record.Transfer // one TCP stream; never nil
	eight *record.Transfer // eight of them, where measured
	rungs []rung           // the UDP ladder, in order of rate

	cc  string // of the sender, empty where unknown
	mss int    // payload of a full segment, bytes

	idle   spread // RTT without load
	loaded spread // RTT once the one stream runs steadily
	ending spread // RTT in the stream's last quarter
	rising bool   // it was still rising at the end: a queue was filling
	busier spread // RTT under eight streams, in their last quarter

	rate     float64 // what one stream carries steadily
	growing  bool    // it was still speeding up at the end
	capacity float64 // what the path can carry, as far as was seen

	limits limits     // what held the sender back, for what share of the time
	losses losses     // what the stream's retransmits were
	base   proportion // UDP loss at rates the path can carry
	strays proportion // UDP packets that arrived out of order
}

// slowShare: a stream that carries less of what the path can than this is
// slow. CUBIC's own sawtooth over a queue of a tenth of a bandwidth-delay
// product averages 0.85 (RFC 9438's β = 0.7 against a full pipe).
const slowShare = 0.8

// newView returns nil where the direction was not measured by a TCP stream.
func newView(r *record.Run, d record.Direction) *view {
	v := &view{run: r, dir: d}
	for i := range r.Transfers {
		t := &r.Transfers[i]
		switch {
		case t.Direction != d:
		case t.Protocol == record.UDP && t.UDP != nil && t.UDP.Packets > 0:
			v.rungs = append(v.rungs, newRung(t))
		case t.Protocol == record.TCP && t.Streams == 1 && t.Rate > 0 && v.one == nil:
			v.one = t
		case t.Protocol == record.TCP && t.Streams > 1 && t.Rate > 0 && v.eight == nil:
			v.eight = t
		}
	}
	if v.one == nil {
		return nil
	}
	v.cc = v.one.CC
	v.mss = segmentSize(v.one, r.Route)
	v.idle = spreadOf(rtts(r.Echo("idle"), 0, math.Inf(1)))
	v.idle = v.idle.or(tcpFloor(v.one))
	under := func(t *record.Transfer, from, to float64) spread {
		return spreadOf(rtts(r.Echo(t.Name), from*t.Duration, to*t.Duration))
	}
	v.loaded = under(v.one, steadyFrom, 1).or(tcpRTT(v.one))
	v.ending = under(v.one, 0.75, 1).or(v.loaded)
	v.rising = v.ending.mid > 1.05*under(v.one, 0.5, 0.75).or(v.ending).mid
	if v.eight != nil {
		v.busier = under(v.eight, 0.75, 1)
	}
	v.rate = v.one.SteadyRate
	v.growing = growing(v.one, v.idle.mid)

	for i := range v.rungs {
		v.rungs[i].weigh(r.Echo(v.rungs[i].name), v.idle.mid)
	}
	slices.SortStableFunc(v.rungs, func(a, b rung) int { return int(a.sent - b.sent) })
	v.capacity = v.pathCapacity()
	v.base, v.strays = v.baseline()
	v.losses = lossesOf(v)
	v.limits = limitsOf(v)
	return v
}

// steadyFrom is the share of a transfer after which its RTT is taken for that
// of the loaded path: slow start is over, or as good as.
const steadyFrom = 0.4

// slow says that one stream carries clearly less than the path can; where
// nothing but the stream was measured, that it lost without filling any queue.
func (v *view) slow() bool {
	if v.alone() {
		return !v.queued() && v.losses.resent > 0
	}
	return v.rate < slowShare*v.capacity
}

// alone says that one stream is all that was measured of the direction, so
// that what the path can carry is not known.
func (v *view) alone() bool { return v.eight == nil && len(v.rungs) == 0 }

// shortfall is the share of the path's capacity that one stream leaves; half,
// where that is not known.
func (v *view) shortfall() float64 {
	if v.alone() && v.slow() {
		return 0.5
	}
	if v.capacity <= 0 {
		return 0
	}
	return clamp(1-v.rate/v.capacity, 0, 1)
}

// pathCapacity is the most that was seen to arrive, whatever carried it.
func (v *view) pathCapacity() float64 {
	most := v.rate
	if v.eight != nil {
		most = max(most, v.eight.SteadyRate)
	}
	for _, r := range v.rungs {
		most = max(most, r.delivered)
	}
	// Where rates above the ceiling were offered, what came through then is
	// the ceiling: a burst that a bucket or a queue swallowed is not.
	if top, ok := v.ceiling(); ok {
		most = max(v.rate, min(most, top))
	}
	return most
}

// ceiling is what UDP delivers when clearly more is offered than the path
// carries, and whether that was seen.
func (v *view) ceiling() (rate float64, found bool) {
	over := v.overloads()
	if len(over) == 0 {
		return 0, false
	}
	return over[len(over)-1].delivered, true
}

// baseline pools the rungs that the path could carry.
func (v *view) baseline() (lost, strays proportion) {
	for _, r := range v.rungs {
		if r.reordered >= 0 {
			strays.add(r.reordered, r.packets)
		}
		if r.sent < baselineShare*v.capacity && !r.overloaded(v.rungs) {
			lost.add(r.lost, r.packets)
		}
	}
	return lost, strays
}

// baselineShare: below this share of the capacity, loss is not congestion's.
const baselineShare = 0.85

// randomLoss is the best estimate of the loss that does not answer to the
// rate, and how many losses it rests on. Where UDP saw some, that is it: UDP
// neither fills the path nor takes the late for lost. Else it is the stream's
// own loss, as far as UDP's silence allows it.
func (v *view) randomLoss() (p float64, events int64) {
	if v.base.k >= 2 || v.base.n > 0 && v.reordered() {
		return v.base.mean(), v.base.k
	}
	p = v.losses.steadyRatio()
	if v.base.n >= fairSample {
		p = min(p, v.base.high())
	}
	return p, v.losses.steady
}

// fairSample of packets is enough to say something of a loss by not seeing it.
const fairSample = 300

// queued says that the stream filled a queue: its RTT stands above the idle
// one by more than noise.
func (v *view) queued() bool {
	return v.loaded.n > 0 && v.loaded.mid-v.idle.mid > max(0.1*v.idle.mid, 4*v.idle.noise(), 0.001)
}

// lossy says that packets vanish at rates the path can carry.
func (v *view) lossy() bool {
	if v.base.k >= 2 {
		return true
	}
	if v.reordered() || v.queued() || v.losses.steady == 0 {
		return false
	}
	if _, policed := v.policer(); policed {
		return false // what the stream lost is the policer's
	}
	if at, ok := v.rttAtLoss(); ok && at > 1.2*v.idle.mid {
		return false // it lost when its own bursts had filled a queue
	}
	// The stream lost below the ceiling while no queue stood. That is random
	// loss, unless so little as UDP's silence allows would not make it slow.
	return v.base.n < fairSample || theory.CubicRate(v.idle.mid, v.base.high(), v.mss) < 2*v.rate
}

// expected is what a loss-based sender would carry here by the model.
func (v *view) expected() float64 {
	p, _ := v.randomLoss()
	return min(theory.CubicRate(v.idle.mid, p, v.mss), v.capacity)
}

// sender is the host that sends in this direction, receiver the other.
func (v *view) sender() string {
	if v.dir == record.Up {
		return "near"
	}
	return "far"
}

func (v *view) receiver() string {
	if v.dir == record.Up {
		return "far"
	}
	return "near"
}

func segmentSize(t *record.Transfer, route record.Route) int {
	if n := t.SegmentSize(); n > 0 {
		return n
	}
	if route.MTU > 100 {
		return route.MTU - ipTCPOverhead
	}
	return 1448
}

// ipTCPOverhead: 20 bytes of IPv4, 20 of TCP, 12 of timestamps (RFC 7323).
const ipTCPOverhead = 52

// growing: the last quarter of the stream carried a tenth more than the one
// before it, one flight of packets aside: where a quarter holds few round
// trips, it may hold one more or less.
func growing(t *record.Transfer, rtt float64) bool {
	third, last := t.Goodput(0.5, 0.75), t.Goodput(0.75, 1)
	return third > 0 && last > third*(1.1+1.5*rtt/(t.Duration/4))
}

func (v *view) String() string {
	return fmt.Sprintf("%s: one %.3g of %.3g bit/s, rtt %.4g→%.4g s, cc %s, base %v, strays %v, losses %+v, limits %+v",
		v.dir, v.rate, v.capacity, v.idle.mid, v.loaded.mid, v.cc, v.base, v.strays, v.losses, v.limits)
}
