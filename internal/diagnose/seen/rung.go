package seen

import (
	"math"
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/wire"
)

// Rung is one rate of the UDP ladder.
type Rung struct {
	Name      string  // of its transfer
	Start     float64 // seconds since the run began
	Duration  float64 // seconds
	Sent      float64 // bit/s that really left
	Delivered float64 // bit/s that arrived, a queue's backlog taken out
	Arrived   float64 // bits that arrived, whenever
	Packets   int64   // of which it is known whether they arrived
	Lost      int64   // of these
	OwnDrops  int64   // of these: what the sending host's own queue dropped
	Reordered int64   // -1: not known
	Known     float64 // share of the packets sent of which the far end knew

	Rise    float64     // of the delay above the idle path's while it ran: its median, in seconds
	Risen   bool        // whether that is known
	Spread  flow.Spread // RTT while it ran
	doubled bool        // the delay was more than twice the idle path's
	Own     float64     // median delay of its own packets above the least of them, in seconds
	OwnMost float64     // 95th percentile of that
	Longest float64     // its maximum
	Grew    bool        // the delay grew while it ran: a queue filled
	Runs    int64       // in which packets were lost one after the other, where this host counted them
	InRuns  int64       // packets that were lost in these
	Timed   bool        // this host received them, and so knows that and when each arrived
	Whole   float64     // bits that arrived before the first packet was lost; 0: not known
	Payload int         // of a packet, bytes

	Slots *record.Slots // in which they came; nil for none
}

// NewRung reads a UDP transfer of a run's ladder, without the echoes beside it.
func NewRung(run *record.Run, t *record.Transfer) Rung {
	u := t.UDP
	r := Rung{
		Name: t.Name, Start: t.Started, Duration: t.Duration,
		Sent: u.Sent, Delivered: u.Delivered,
		Arrived: float64(u.Packets-u.Lost) * float64(u.Payload) * 8,
		Packets: u.Packets, Lost: u.Lost, Reordered: u.Reordered,
		Whole: float64(u.BeforeLoss) * float64(u.Payload) * 8,
		Slots: u.Slots, Payload: u.Payload,
	}
	r.InRuns, r.Runs = inRuns(u)
	r.Known = 1
	if sent := u.Sent * t.Duration; sent > 0 && u.Payload > 0 {
		r.Known = float64(u.Packets) * float64(u.Payload) * 8 / sent
	}
	if u.Delay != nil {
		r.Own, r.OwnMost, r.Longest, r.Timed = u.Delay.P50, u.Delay.P95, u.Delay.Max, true
	}
	r.Delivered = min(r.Delivered, left(run, t))
	r.OwnDrops = min(ownDrops(run, t), r.Lost)
	return r
}

// inRuns counts the runs of a rung's losses and the packets in them. The last length stands
// for longer ones too, which have what is left of the losses.
func inRuns(u *record.Rung) (lost, runs int64) {
	for i, n := range u.LossRuns {
		lost, runs = lost+int64(i+1)*n, runs+n
	}
	if n := len(u.LossRuns); n > 0 && u.LossRuns[n-1] > 0 {
		lost = max(lost, u.Lost)
	}
	return lost, runs
}

// ownDrops are the packets that the sending host's own queue dropped, as far as that host
// told.
func ownDrops(run *record.Run, t *record.Transfer) (n int64) {
	for _, q := range run.SenderQueues(t) {
		if q.Root {
			n += q.Drops
		}
	}
	return n
}

// left is the rate in bit/s at which packets left the sending host while it shaped them,
// headers taken out: what its own queue still held at the end arrived later, and tells no
// rate. It is +Inf where nothing had to wait there, as far as that host told.
func left(run *record.Run, t *record.Transfer) float64 {
	least := math.Inf(1)
	for _, q := range run.SenderQueues(t) {
		if q.Root && q.Overlimits > 0 && q.Backlog > 0 && t.Duration > 0 {
			least = min(least, float64(q.Bytes)*8/t.Duration/wire.PerGoodput)
		}
	}
	return least
}

// Leaves is the highest rate in bit/s at which packets of a direction left their sender while
// it shaped them, in a second or more: of what is shorter, half is a burst. It is +Inf where
// none had to wait there.
func Leaves(r *record.Run, d record.Direction) float64 {
	most := 0.0
	for i := range r.Transfers {
		t := &r.Transfers[i]
		if own := left(r, t); t.Direction == d && t.Duration >= 1 && !math.IsInf(own, 1) {
			most = max(most, own)
		}
	}
	if most == 0 {
		return math.Inf(1)
	}
	return most
}

// Unfinished says that the far end stopped counting before the rung had come
// through: much of it stood in a queue then, as may the last rung of a test. The share
// of the few that it saw which were lost tells no rate.
func (r Rung) Unfinished() bool { return r.Packets < FewPackets || !r.Timed && r.Known < leastKnown }

// leastKnown is the share of its packets of which the far end must know for a rung to
// tell what the path delivers.
const leastKnown = 0.75

// FewPackets come out of a queue in a burst that tells no rate.
const FewPackets = 10

// Weigh reads the echoes that ran beside the rung: how far the delay rose, and
// how much of what was counted as delivered still stood in a queue when the
// rung ended. While a queue fills, the delay grows by s seconds a second, and
// what was sent in one second leaves the bottleneck in 1 + s.
func (r *Rung) Weigh(e *record.Echo, idle float64) {
	all := flow.SpreadOf(RTTs(e, 0, r.Duration))
	r.Spread = all
	if all.N == 0 {
		return
	}
	r.Rise, r.Risen = max(all.Mid-idle, 0), true
	r.doubled = r.Rise > idle
	if grown, sure := growth(e, r.Duration); sure {
		r.Grew = true
		if !r.Timed {
			r.Delivered /= 1 + grown/r.Duration
		}
	}
}

// growth is by how many seconds the delay grew over the first so many of a series, by
// least squares, and whether that is more than noise: above three of the slope's
// standard errors. Where a short queue soon drops all probes, it grew no further.
func growth(e *record.Echo, duration float64) (grown float64, sure bool) {
	first, last := math.Inf(1), 0.0
	var n, x, y, xx, xy, yy float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= 0 && p.At < duration {
			first, last = min(first, p.At), p.At
			n, x, y = n+1, x+p.At, y+p.RTT
			xx, xy, yy = xx+p.At*p.At, xy+p.At*p.RTT, yy+p.RTT*p.RTT
		}
	}
	sxx, sxy, syy := xx-x*x/n, xy-x*y/n, yy-y*y/n
	if n < 4 || sxx <= 0 {
		return 0, false
	}
	slope := sxy / sxx
	residual := max(syy-slope*sxy, 0) / (n - 2)
	span := (last - first) * n / (n - 1)
	return slope * span, slope > 3*math.Sqrt(residual/sxx) && slope > leastSlope
}

// Loss is the share of the rung's packets that did not arrive.
func (r Rung) Loss() float64 {
	if r.Packets == 0 {
		return 0
	}
	return float64(r.Lost) / float64(r.Packets)
}

// Overloaded says that the rung offered more than the path carries: it lost
// clearly more than the gentler rungs did, or its packets piled up. A path that
// delivered more at another time was not overloaded by less.
func (r Rung) Overloaded(all []Rung) bool {
	for _, other := range all {
		if !other.Unfinished() && other.Delivered > Elsewhere*r.Sent {
			return false
		}
	}
	gentlest := Gentlest(all)
	most := gentlest + OverloadLoss
	if r.Delivered < stuckShare*r.Sent*(1-max(gentlest, r.Loss())) {
		return true // a queue took what the bottleneck could not
	}
	if r.doubled && r.Delivered < stuckShare*r.Sent {
		return true // a queue stood, however few packets tell of the loss
	}
	return r.Loss() > most && Proportion{K: r.Lost, N: r.Packets}.Above(most)
}

// Gentlest is the loss of the lower rungs, whichever lost least together: its
// mean where they hold a fair number of packets, the most that it can be (95 %)
// where they hold few, as on a slow line.
func Gentlest(all []Rung) float64 {
	var sum Proportion
	upTo := make([]Proportion, len(all)) // this rung and all lower ones
	for i, r := range all {
		sum.Add(r.Lost, r.Packets)
		upTo[i] = sum
	}
	least := 1.0
	for i, p := range slices.Backward(upTo) {
		switch {
		case p.Mean() >= least:
		case p.N >= 100 || i == len(all)-1:
			least = p.Mean()
		default:
			least = min(least, p.High())
		}
	}
	return least
}

// Waited is how long the rung's packets stood in a queue, in seconds: their own delay
// where it is timed, else that of echo probes beside them.
func (r Rung) Waited() float64 {
	if r.Timed {
		return r.Own
	}
	return r.Rise
}

// Filled is how long the queue of a rung took when it was full, in seconds: nearly the
// longest that its own packets waited, where this host timed them, for a short queue is
// not full all the time.
func (r Rung) Filled() float64 {
	if r.Timed {
		return r.OwnMost
	}
	return r.Rise
}

// LeastQueue is the smallest rise of the delay, half of the packets' at the
// least, that is taken for a queue: a full packet and a half at the ceiling, in seconds. A
// policer lets half of what it passes wait for nothing.
func LeastQueue(r Rung) float64 {
	return max(FewPacketsTime(r), 0.0002)
}

// FewPacketsTime is how long a packet and a half takes at what the rung delivered, in
// seconds.
func FewPacketsTime(r Rung) float64 { return 1.5 * wire.Frame * 8 / max(r.Delivered, 1) }
