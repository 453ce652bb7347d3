package watched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// bloated: the round trip is far above its least. By definition: more than twice
// it, and 100 ms above it. The least is the flow's own: where a queue stood from
// the flow's beginning on, it is not known.
func bloated(v *view) *said {
	if v.rtt <= BloatFactor*v.least || v.rise() <= BloatExcess || !v.queued() || v.calm() {
		return nil
	}
	if v.near != nil && !v.answersLoss() && v.young() {
		return nil // BBR's start-up fills a queue, and drains it afterwards
	}
	return &said{
		cause: finding.Bufferbloat, confidence: stats.Clamp(0.7+0.25*(v.rise()/BloatExcess-1), 0.7, 0.95),
		summary: fmt.Sprintf("The round trip takes %s where %s would do: a queue of %s stands on the path.",
			duration(v.rtt), duration(v.least), duration(v.rise())),
		evidence: append(v.networkEvidence(),
			finding.Evidence{What: "queue standing at the bottleneck", Value: v.rise() * v.rate / 8, Unit: finding.Bytes}),
	}
}

// filling: the rate is flat, or nearly so behind a queue that stands: the stream
// fills its path, or whatever else has a rate. It is not that where the sender
// answers to losses, has its whole window under way and finds no queue: CUBIC
// lingers so below the window at which it last lost.
func filling(v *view) *said {
	lingers := !v.above() && v.answersLoss() && v.Ssthresh > 0 && !v.hasRoom()
	if !v.flat() && !v.fills() || lingers && !(v.risen() && v.carries(flatShare)) {
		return nil
	}
	if !v.queued() && v.losesAlone() && v.lost >= muchLost && v.rate <= closeSpread*v.expected() {
		return nil // what it loses explains the rate: a handful of segments under way moves little
	}
	if v.above() && v.faster(burstShare) && !v.steps() {
		return nil // the path carries more now and then: others, or whoever reads, leave it less
	}
	s := &said{cause: finding.Healthy, evidence: v.networkEvidence()}
	switch {
	case v.above():
		s.confidence = 0.8
		s.summary = fmt.Sprintf("The stream fills its path: %s, steadily, with a queue of %s before it.", rate(v.rate), duration(v.rise()))
	case v.heldHere():
		s.confidence = 0.75
		s.summary = fmt.Sprintf("The stream carries %s, steadily, as fast as this host's own queue or shaper lets it.", rate(v.rate))
	case v.lost < leastLost:
		s.confidence = 0.65
		s.summary = fmt.Sprintf("The stream carries %s, steadily, and loses nothing.", rate(v.rate))
	default:
		s.confidence = 0.6
		s.summary = fmt.Sprintf("The stream carries %s, steadily, although it loses %s of its packets.", rate(v.rate), percent(v.lost))
	}
	return s
}

// fills says that the path is full, though the rate moves: a queue stands and nobody
// else is seen in it, or the sender, whom losses do not move, carries nearly all.
func (v *view) fills() bool {
	switch {
	case v.queued() && (v.level() || v.RateCV < fullCV || v.carriesAll() || v.alone()):
		return true
	case v.answersLoss():
		return v.alone() && v.carries(flatShare)
	}
	return v.level() || v.carries(keptFull)
}

// leaps says that the rate becomes another one from half a second to the next, most
// of the time.
func (v *view) leaps() bool { return v.near != nil && v.near.Steady && v.near.Step >= leapStep }

// level says that the rate stays near its best second.
func (v *view) level() bool { return v.rate >= fullShare*v.PeakRate }

// carriesAll says that nothing was ever delivered faster than the stream carries:
// its rate only seems to move, as what follows a hole is acknowledged at once.
func (v *view) carriesAll() bool { return v.carries(allOfIt) }

// carries says that the stream carries this share of the most that was ever
// delivered.
func (v *view) carries(share float64) bool { return v.PeakDelivery > 0 && !v.faster(share) }

// heldHere says that the sender has data and room in its window, and sends no
// more all the same: a queue of this host's own holds it back (TCP Small Queues).
func (v *view) heldHere() bool { return v.hasRoom() && v.NotSent > v.SegmentSize }

// hasRoom says that less is under way than the congestion window allows.
func (v *view) hasRoom() bool {
	return float64(v.Unacked) < windowFull*float64(v.Cwnd) || v.windowStands()
}

// windowStands says that the congestion window has hardly grown since slow start
// ended without a loss. Linux lets it grow whenever it limits the sender
// (tcp_is_cwnd_limited), CUBIC by no less than Reno would
// (RFC 9438 §4.3): it does not.
func (v *view) windowStands() bool {
	if v.Retransmits > 0 || v.MarkedRatio > 0 || v.Ssthresh == 0 || v.Cwnd < v.Ssthresh || v.least <= 0 {
		return false
	}
	trips := v.Age/v.least - slowStartTrips
	return trips >= standTrips && float64(v.Cwnd-v.Ssthresh) < standShare*theory.CubicStep*trips
}

// sharing: the queue moves, and not with what this stream has under way: others
// fill it as well. A rate that keeps to a few values, far apart, is a link's own.
func sharing(v *view) *said {
	if v.near == nil || !v.answersLoss() || v.overtaken() || !v.queued() || v.RateCV < sharedCV || v.steps() && v.RateCV >= swayCV {
		return nil
	}
	if v.young() || v.carriesAll() || v.leaps() {
		return nil // on its way up a stream finds a queue that comes and goes, and a link's own rate moves one too
	}
	q := v.near.Queue
	if q.Looks == 0 || q.Sway < max(leastSway, jitterSway*v.JitterRatio) || q.Own > sharedOwn {
		return nil
	}
	return &said{
		cause: finding.Congested, confidence: 0.65,
		summary: fmt.Sprintf("A queue of %s stands on the path, and this stream explains %s of how it moves: other traffic shares the bottleneck and leaves it %s.",
			duration(v.rise()), percent(q.Own), rate(v.rate)),
		evidence: append(v.networkEvidence(), v.queueEvidence()...),
	}
}

// alone says that the queue moves with what this stream has under way.
func (v *view) alone() bool {
	return v.near != nil && v.answersLoss() && v.near.Queue.Looks > 0 && v.near.Queue.Sway >= leastSway && v.near.Queue.Own >= aloneOwn
}

func (v *view) queueEvidence() []finding.Evidence {
	return []finding.Evidence{
		{What: "deviation of the RTT (of its logarithm)", Value: v.near.Queue.Sway, Unit: finding.Ratio},
		{What: "of its variance explained by what is under way", Value: v.near.Queue.Own, Unit: finding.Ratio},
	}
}

// overflowedAnyhow: a queue overflows, whatever is under way, and the rate moves:
// what the bottleneck leaves this stream becomes another. Where it keeps queues
// apart, or short, none stands in between.
func overflowedAnyhow(v *view) *said {
	if !v.topped() || v.near.Losses.FlightCV < anyFlight || v.RateCV < swayCV || v.overtaken() {
		return nil
	}
	return &said{
		cause: finding.Congested, confidence: 0.5,
		summary: fmt.Sprintf("The stream loses what overflows a queue, each time with another amount under way (deviation %s), and its rate moves (%s, its deviation %s): other traffic shares the bottleneck, or its rate becomes another.",
			percent(v.near.Losses.FlightCV), rate(v.rate), percent(v.RateCV)),
		evidence: append(v.networkEvidence(), v.overflowEvidence()...),
	}
}

// congested: a queue stands, and the rate moves all the same: whoever has the
// rest of the bottleneck comes and goes.
func congested(v *view) *said {
	if !v.queued() {
		return nil
	}
	s := &said{cause: finding.Congested, confidence: 0.6, evidence: v.networkEvidence()}
	switch {
	case v.near != nil && v.carries(fullShare):
		s.cause = finding.Healthy
		s.summary = fmt.Sprintf("The stream fills its path: %s, with a queue of %s before it; nothing was ever delivered much faster.", rate(v.rate), duration(v.rise()))
		return s
	case v.leaps() && v.lost < hugeLost:
		s.cause, s.confidence = finding.Healthy, 0.5
		s.summary = fmt.Sprintf("A queue of %s stands on the path, and the rate leaps (by %s from half a second to the next): the link's own rate moves, and the stream fills it.",
			duration(v.rise()), percent(v.near.Step))
		return s
	case v.near != nil && v.young():
		return nil // its own start moves the rate as well
	case v.rtt > BloatFactor*v.least && v.rise() > nearBloat*BloatExcess:
		s.cause, s.confidence = finding.Bufferbloat, 0.5
		s.summary = fmt.Sprintf("The round trip takes %s where %s would do: a long queue stands on the path.", duration(v.rtt), duration(v.least))
		return s
	}
	s.summary = fmt.Sprintf("A queue of %s stands on the path, and the rate moves all the same (%s, its deviation %s of it): other traffic shares the bottleneck.",
		duration(v.rise()), rate(v.rate), percent(v.RateCV))
	return s
}
