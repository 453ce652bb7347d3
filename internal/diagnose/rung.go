package diagnose

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// rung is one rate of the UDP ladder.
type rung struct {
	name      string  // of its transfer
	start     float64 // seconds since the run began
	duration  float64 // seconds
	sent      float64 // bit/s that really left
	delivered float64 // bit/s that arrived, a queue's backlog taken out
	arrived   float64 // bits that arrived, whenever
	packets   int64   // of which it is known whether they arrived
	lost      int64   // of these
	reordered int64   // -1: not known
	known     float64 // share of the packets sent of which the far end knew

	rise    float64     // of the delay above the idle path's while it ran: its median, in seconds
	risen   bool        // whether that is known
	spread  flow.Spread // RTT while it ran
	doubled bool        // the delay was more than twice the idle path's
	own     float64     // median delay of its own packets above the least of them, in seconds
	timed   bool        // this host received them, and so knows that and when each arrived
}

// newRung reads a UDP transfer of the ladder, without the echoes beside it.
func newRung(t *record.Transfer) rung {
	u := t.UDP
	r := rung{
		name: t.Name, start: t.Started, duration: t.Duration,
		sent: u.Sent, delivered: u.Delivered,
		arrived: float64(u.Packets-u.Lost) * float64(u.Payload) * 8,
		packets: u.Packets, lost: u.Lost, reordered: u.Reordered,
	}
	r.known = 1
	if sent := u.Sent * t.Duration; sent > 0 && u.Payload > 0 {
		r.known = float64(u.Packets) * float64(u.Payload) * 8 / sent
	}
	if u.Delay != nil {
		r.own, r.timed = u.Delay.P50, true
	}
	return r
}

// unfinished says that the far end stopped counting before the rung had come
// through: it missed none of the few that it saw, and most of the others stood in
// the queue that the rungs before had filled. What so few delivered is no rate.
func (r rung) unfinished() bool {
	sent := r.sent * r.duration
	return r.lost == 0 && r.packets < fewPackets && r.arrived < sent/2
}

// fewPackets come out of a queue in a burst that tells no rate.
const fewPackets = 10

// weigh reads the echoes that ran beside the rung: how far the delay rose, and
// how much of what was counted as delivered still stood in a queue when the
// rung ended. While a queue fills, the delay grows by s seconds a second, and
// what was sent in one second leaves the bottleneck in 1 + s.
func (r *rung) weigh(e *record.Echo, idle float64) {
	all := flow.SpreadOf(rtts(e, 0, r.duration))
	r.spread = all
	if all.N == 0 {
		return
	}
	r.rise, r.risen = max(all.Mid-idle, 0), true
	r.doubled = r.rise > idle
	if slope, sure := growth(e, r.duration); sure && !r.timed {
		r.delivered /= 1 + slope
	}
}

// growth is the slope of the delay over the first so many seconds of a series,
// by least squares, and whether it is more than noise: above three of its
// standard errors.
func growth(e *record.Echo, duration float64) (slope float64, sure bool) {
	var n, x, y, xx, xy, yy float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= 0 && p.At < duration {
			n, x, y = n+1, x+p.At, y+p.RTT
			xx, xy, yy = xx+p.At*p.At, xy+p.At*p.RTT, yy+p.RTT*p.RTT
		}
	}
	sxx, sxy, syy := xx-x*x/n, xy-x*y/n, yy-y*y/n
	if n < 4 || sxx <= 0 {
		return 0, false
	}
	slope = sxy / sxx
	residual := max(syy-slope*sxy, 0) / (n - 2)
	return slope, slope > 3*math.Sqrt(residual/sxx) && slope > leastSlope
}

// loss is the share of the rung's packets that did not arrive.
func (r rung) loss() float64 {
	if r.packets == 0 {
		return 0
	}
	return float64(r.lost) / float64(r.packets)
}

// overloaded says that the rung offered more than the path carries: it lost
// clearly more than the gentler rungs did, or its packets piled up. A path that
// delivered more at another time was not overloaded by less.
func (r rung) overloaded(all []rung) bool {
	for _, other := range all {
		if other.delivered > elsewhere*r.sent {
			return false
		}
	}
	most := gentlest(all) + overloadLoss
	if r.delivered < stuckShare*r.sent*(1-gentlest(all)) && r.loss() < most {
		return true // a queue took what the bottleneck could not
	}
	if r.doubled && r.delivered < stuckShare*r.sent {
		return true // a queue stood, however few packets tell of the loss
	}
	return r.loss() > most && proportion{k: r.lost, n: r.packets}.low() > most
}

// gentlest is the loss of the lower rungs, whichever lost least together: its
// mean where they hold a fair number of packets, the most that it can be (95 %)
// where they hold few, as on a slow line.
func gentlest(all []rung) float64 {
	least := 1.0
	for i := range all {
		var p proportion
		for _, r := range all[:i+1] {
			p.add(r.lost, r.packets)
		}
		if p.n >= 100 || i == len(all)-1 {
			least = min(least, p.mean())
		} else {
			least = min(least, p.high())
		}
	}
	return least
}
