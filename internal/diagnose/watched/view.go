package watched

import (
	"unchoke/internal/congestion"
	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/theory"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// view is a flow's figures as the rules read them. Times are in seconds, rates
// in bit/s, shares of 1.
type view struct {
	*live.Flow
	sends bool
	rate  float64 // of the busier direction, lately
	rtt   float64 // lately
	least float64 // the least RTT; the one lately where unknown
	// lost is the share of the segments that was resent, needed or not: a
	// loss-based sender answers to both.
	lost float64
	// resent and sent are segments, lately.
	resent, sent float64
	near         *live.Closely // nil where nobody looked so closely
	// blocked: this host's receive buffer is, and its program has left it so.
	blocked bool
}

func viewOf(f *live.Flow) *view {
	v := &view{Flow: f, sends: f.SentLately >= f.ReceivedLately, rate: f.SentLately, rtt: f.RTTLately}
	if !v.sends {
		v.rate = f.ReceivedLately
	}
	if v.rtt == 0 {
		v.rtt = f.RTT
	}
	if f.Closely.Looks > 0 {
		v.near = &f.Closely
	}
	if v.blocked = f.RecvShut && f.RecvQueue > 2*uint32(v.mss()); v.blocked && v.rate == 0 {
		v.sends = false // the peer would
	}
	v.least = f.MinRTT
	if v.least <= 0 || v.least > v.rtt {
		v.least = v.rtt
	}
	v.lost = f.RetransmitRatio
	v.sent = float64(f.SegmentsLately)
	v.resent = v.lost * v.sent
	return v
}

// watching says why the flow has not told enough yet; empty where it has.
func (v *view) watching() string {
	switch {
	case v.standing(), v.blocked && v.rate == 0 && v.Idle >= leastAge:
		return ""
	case v.rate == 0 && v.Idle >= leastAge:
		return "Nothing moves."
	case v.Age < leastAge:
		return "This stream has been watched for too short a time to say."
	case v.sends && v.sent < leastSegments, v.rate*v.span()/8 < leastSegments*float64(v.mss()):
		return "Too little was sent to say anything."
	}
	return ""
}

// standing says that data is under way and nothing has been delivered for long.
func (v *view) standing() bool { return v.Unacked > 0 && v.SentRate == 0 && v.Standing >= leastAge }

func (v *view) mss() int {
	if v.SegmentSize == 0 {
		return wire.Segment
	}
	return int(v.SegmentSize)
}

func (v *view) answersLoss() bool { return congestion.LossBasedOrUnknown(v.CC) }

// spuriousShare is the share of what was resent that had not been lost.
func (v *view) spuriousShare() float64 {
	if v.RetransmitRatio == 0 {
		return 0
	}
	return min(v.SpuriousRatio/v.RetransmitRatio, 1)
}

// expected is what the model of CUBIC (of Reno, where that is more) lets the
// stream carry at the loss and the RTT that it sees; infinite without loss.
func (v *view) expected() float64 { return theory.CubicRate(v.rtt, v.lost, v.mss()) }

// rise is how much the round trip stands above its least.
func (v *view) rise() float64 { return v.rtt - v.least }

// queued says that a queue stands on the path: the round trip is above its least
// by more than delay that varies makes it. Where packets overtake each other, the
// least of many round trips lies far below the others.
func (v *view) queued() bool {
	span := keptSpan
	if v.overtaken() {
		span = freeSpan
	}
	return v.above() && v.rise() > span*v.Jitter && !v.shaken()
}

// shaken says that the round trip stands above its least for the path's own jitter
// and for no queue: it sways no more than smoothing leaves of the jitter, and losses
// come by chance. Where packets keep their order, each waits for those that are
// late, so that the median stands far above the least.
func (v *view) shaken() bool {
	return v.calm() && (v.byChance() || v.near.Losses.N < leastLosses)
}

// calm says that the round trip, far above its least, sways no more than smoothing
// leaves of the jitter, which is large enough to have put it there.
func (v *view) calm() bool {
	if v.near == nil || v.near.Queue.Looks == 0 || !v.answersLoss() || v.overtaken() || v.rise() > freeSpan*v.Jitter {
		return false
	}
	return v.near.Queue.Sway < calmSway*v.JitterRatio
}

// risen says that a short queue stands: no jitter to speak of, and the round trip
// above its least all the same.
func (v *view) risen() bool { return v.rise() > max(2*leastRise, sureSpan*v.Jitter) }

// young says that the flow may be on its way back still from the end of its slow start.
func (v *view) young() bool { return v.Age < youngTrips*v.least }

// above says that the round trip stands above its least, whatever makes it.
func (v *view) above() bool { return v.rise() > max(QueueRise*v.least, leastRise) }

// overtaken says that packets overtake each other, often enough that it is not a
// loss's doing.
func (v *view) overtaken() bool {
	return v.ReorderLately >= leastReorder && float64(v.ReorderLately) >= reorderShare*v.sent
}

// flat says that the rate does not move: something that has a rate holds it.
// Behind a queue it may sway a little, without one hardly; a single dip, as BBR
// makes to see the least RTT, is none.
func (v *view) flat() bool {
	if v.RateCV < flatCV || v.rate >= levelShare*v.PeakRate || v.steps() {
		return true
	}
	return v.above() && (v.RateCV < swayCV || v.rate >= flatShare*v.PeakRate && v.Growth < growing && v.Growth > -growing)
}

// steps says that the rate stands, but for moments at which it becomes another: a
// link that changes its rate, or stands still now and then.
func (v *view) steps() bool {
	if v.near != nil && v.near.Steady && v.near.Step <= smallStep {
		return true
	}
	return v.span() >= leastSpan && v.RateLevel >= mostlyLevel
}

// full says that the path is: the rate stands, a queue stands as well, and it
// overflows now and then, or nothing was ever delivered much faster.
func (v *view) full() bool {
	overflows := v.lost >= leastLost && v.lostToQueue() || v.atLimit() && v.overflows()
	return v.flat() && v.above() && (overflows || !v.faster(fullShare))
}

// faster says that the path was seen to deliver more than the rate: so much that
// the rate is less than a share of it. What holds the stream back is then not the
// path's own rate.
func (v *view) faster(share float64) bool { return v.rate < share*v.PeakDelivery }

func rate(bps float64) string   { return unit.HumanRate(bps) }
func size(bytes float64) string { return unit.HumanSize(bytes) }
func percent(r float64) string  { return unit.Ratio(r).Human() }
func duration(s float64) string { return unit.HumanTime(s) }

// networkEvidence is what the sender's TCP says of the path.
func (v *view) networkEvidence() []finding.Evidence {
	e := []finding.Evidence{
		{What: "rate, lately", Value: v.rate, Unit: finding.BitRate},
		{What: "coefficient of variation of the rate", Value: v.RateCV, Unit: finding.Ratio},
		{What: "RTT, median lately", Value: v.rtt, Unit: finding.Seconds},
		{What: "least RTT", Value: v.least, Unit: finding.Seconds},
		{What: "jitter", Value: v.Jitter, Unit: finding.Seconds},
		{What: "time limited by the network (congestion window)", Value: v.Limits.Network, Unit: finding.Ratio},
		{What: "resent", Value: v.lost, Unit: finding.Ratio},
	}
	if v.lost > 0 {
		e = append(e,
			finding.Evidence{What: "of it spurious (DSACK)", Value: v.spuriousShare(), Unit: finding.Ratio},
			finding.Evidence{What: "intervals with retransmits", Value: float64(v.Lossy), Unit: finding.Count},
			finding.Evidence{What: "RTT while losing", Value: v.RTTAtLoss, Unit: finding.Seconds})
	}
	return e
}

// modelEvidence is what theory expects at this loss.
func (v *view) modelEvidence() []finding.Evidence {
	e := v.networkEvidence()
	if v.lost > 0 && v.rtt > 0 && v.answersLoss() {
		e = append(e, finding.Evidence{What: "expected of CUBIC at this RTT and loss", Value: v.expected(), Unit: finding.BitRate, Source: theory.CubicSource})
	}
	return e
}

// limitEvidence is the sender's time by what limited it.
func (v *view) limitEvidence() []finding.Evidence {
	return []finding.Evidence{
		{What: "rate, lately", Value: v.rate, Unit: finding.BitRate},
		{What: "time in which the program offered nothing", Value: v.Limits.App, Unit: finding.Ratio},
		{What: "time limited by the receive window", Value: v.Limits.ReceiveWindow, Unit: finding.Ratio},
		{What: "time limited by the send buffer", Value: v.Limits.SendBuffer, Unit: finding.Ratio},
		{What: "time limited by the network (congestion window)", Value: v.Limits.Network, Unit: finding.Ratio},
	}
}
