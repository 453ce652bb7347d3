package watched

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/stats"
)

// interrupted: for much of the time data was under way and nothing arrived.
func interrupted(v *view) *said {
	if v.Limits.ReceiveWindow >= LimitShare {
		return nil // a receiver that reads nothing lets nothing arrive
	}
	if v.standing() {
		return v.stands()
	}
	if v.Stalled < stallShare*min(v.Age, live.Lately) || v.TimeoutsLately == 0 {
		return nil
	}
	if v.Limits.App >= LimitShare {
		return nil // the program waits for much of the time all the same: it catches up
	}
	return &said{
		cause: finding.LossLimited, confidence: 0.65,
		summary:  v.stillWords(),
		evidence: append(v.networkEvidence(), v.stillEvidence()...),
	}
}

// stillWords says how long nothing arrived.
func (v *view) stillWords() string {
	return fmt.Sprintf("For %s of the last %s nothing arrived of what was sent: the path lost everything, and the sender waited for its timers.",
		duration(v.Stalled), duration(min(v.Age, live.Lately)))
}

func (v *view) stillEvidence() []finding.Evidence {
	return []finding.Evidence{
		{What: "time with nothing delivered", Value: v.Stalled, Unit: finding.Seconds},
		{What: "timeouts, lately", Value: float64(v.TimeoutsLately), Unit: finding.Count},
	}
}

// addStops adds to a healthy verdict that nothing arrived for a while: a stream that has
// what the path carries, and for a second or more had nothing, is as healthy as its mean
// says, and its user has seen it stop.
func (s *said) addStops(v *view) {
	if s.cause == finding.Healthy && v.Stalled >= leastStill && v.TimeoutsLately > 0 {
		s.summary += " " + v.stillWords()
		s.evidence = append(s.evidence, v.stillEvidence()...)
		s.confidence = min(s.confidence, stillHealthy)
	}
}

// stands: nothing is delivered now. Where not one full segment ever was, and one is
// under way, full segments vanish; else the path or the peer is gone.
func (v *view) stands() *said {
	s := &said{
		cause: finding.Unclear, confidence: 0.5,
		summary: fmt.Sprintf("Nothing that was sent has arrived for %s: the path or the far host does not answer.", duration(v.Standing)),
		evidence: []finding.Evidence{
			{What: "time with nothing delivered", Value: v.Standing, Unit: finding.Seconds},
			{What: "segments under way", Value: float64(v.Unacked), Unit: finding.Count},
			{What: "delivered since the connection began", Value: float64(v.Sent), Unit: finding.Bytes},
			{What: "timeouts", Value: float64(v.Timeouts), Unit: finding.Count},
		},
	}
	if v.Sent < uint64(v.mss()) && v.sendsFull() && v.Timeouts >= holeTimers {
		s.cause, s.confidence = finding.MTUBlackhole, 0.7
		s.summary = fmt.Sprintf("Small segments arrived (%s) and the first full ones of %s never did, in spite of %d timeouts: large packets vanish on the path.",
			size(float64(v.Sent)), size(float64(v.mss())), v.Timeouts)
		if v.Sent <= 1 { // a client's own SYN is counted
			s.confidence = 0.55
			s.summary = fmt.Sprintf("The connection was opened, and the first full segments of %s never arrived, in spite of %d timeouts: large packets vanish on the path, or all of them since.",
				size(float64(v.mss())), v.Timeouts)
		}
	}
	return s
}

// sendsFull says that as much as a full segment is under way. Where the kernel does not
// tell, one that waits to be sent shows that those before it are full.
func (v *view) sendsFull() bool {
	full := uint64(v.mss())
	if v.UnackedBytes > 0 {
		return v.UnackedBytes+1 >= full // a client's own SYN is counted as acknowledged
	}
	return uint64(v.NotSent) >= full
}

// missing: nothing moves, and what the peer sent has a hole: a later segment came,
// an earlier one never did, and no full one ever has. It is the peer's side of
// stands.
func missing(v *view) *said {
	if !v.hole() {
		return nil
	}
	return &said{
		cause: finding.MTUBlackhole, confidence: 0.6,
		summary: fmt.Sprintf("Nothing moves: of what the peer sent, %s in small segments arrived, then one that stands behind a hole. Large packets vanish on their way here.",
			size(float64(v.Received))),
		evidence: []finding.Evidence{
			{What: "received since the connection began", Value: float64(v.Received), Unit: finding.Bytes},
			{What: "segments received out of order", Value: float64(v.OutOfOrder), Unit: finding.Count},
			{What: "time in which nothing moved", Value: v.Idle, Unit: finding.Seconds},
		},
	}
}

// hole says that nothing moves and something stands behind a hole: the socket holds
// what has arrived, and none of it can be read. What came out of order before and was
// put in order leaves nothing.
func (v *view) hole() bool {
	still := v.rate == 0 && v.Idle >= leastAge && v.Unacked == 0
	return still && v.Received < uint64(v.mss()) && v.OutOfOrder > 0 && v.RecvQueue == 0 && v.RecvMemory > 0
}

// reordered: packets overtake each other, much of what is resent is resent in
// vain, and what is resent explains the rate.
func reordered(v *view) *said {
	if !v.overtaken() || v.flat() || v.lost < leastLost || v.level() && !v.answersLoss() {
		return nil
	}
	share := v.spuriousShare()
	if share >= allInVain {
		return nil // Linux has taken each of its answers back
	}
	if share < SpuriousShare && !v.inChaos() {
		return nil
	}
	if v.answersLoss() && v.rate > freeSpread*v.expected() && !v.inChaos() {
		return nil // DSACKs let Linux take its answers back: they cost nothing
	}
	most := 0.95
	if v.rate > closeSpread*v.expected() {
		most = 0.65
	}
	return &said{
		cause: finding.Reordering, confidence: stats.Clamp(0.6+share, 0.6, most),
		summary: fmt.Sprintf("Packets overtake each other, and the sender takes the late ones for lost: it resent %s of them, at least %s of that needlessly.",
			percent(v.lost), percent(share)),
		evidence: append(v.modelEvidence(),
			finding.Evidence{What: "reordering events, lately", Value: float64(v.ReorderLately), Unit: finding.Count}),
	}
}

// policed: the rate is flat and much is lost while no queue stands: something
// with a rate and without a queue drops what is too much.
func policed(v *view) *said {
	least := policerLost
	if !v.answersLoss() {
		least = policerLostBBR
	}
	if v.span() < leastSpan || !v.flat() && !v.outruns() || v.lost < least || v.Lossy < manyBouts || v.rise() > max(QueueRise/2*v.least, leastRise) {
		return nil
	}
	return &said{
		cause: finding.Policed, confidence: 0.65,
		summary: fmt.Sprintf("The rate stands at %s while %s of the packets vanish and none waits: something drops what exceeds a rate.",
			rate(v.rate), percent(v.lost)),
		evidence: v.networkEvidence(),
	}
}

// outruns says that the rate sways little and is far above what the stream's
// congestion control would leave of it if the losses came by chance: they come
// in bunches, whenever a bucket is empty. Where a tenth is lost and the rate is far
// above what is left by any such loss, it need not be even.
func (v *view) outruns() bool {
	if !v.answersLoss() || v.overtaken() {
		return false
	}
	return v.RateCV < fullCV && v.rate > ModelSpread*v.expected() || v.lost >= hugeLost && v.rate > falling*v.expected()
}

// held: it loses again and again with an empty queue, and too evenly for chance:
// whenever its window reaches what fits. A policer with a small bucket does that;
// so does a queue of a few packets.
func held(v *view) *said {
	if s := v.heldAtLimit(); s != nil || v.atLimit() || v.byChance() {
		return s
	}
	if v.span() < leastSpan || v.resent < leastEvents || !v.losesAlone() || v.bunched() || v.overtaken() || v.unevenness() > regular {
		return nil
	}
	return &said{
		cause: finding.Policed, confidence: 0.5,
		summary: fmt.Sprintf("The path loses %s of the packets while no queue stands, too evenly for chance (%s from second to second): a small bucket or a queue of a few packets holds the stream at %s.",
			percent(v.lost), percent(v.RateCV), rate(v.rate)),
		evidence: v.modelEvidence(),
	}
}

// unevenness is how much the rate of a second varies against how often it loses.
func (v *view) unevenness() float64 { return v.RateCV * math.Sqrt(v.resent/v.span()) }

// atLimit says that the stream loses whenever as much is under way as fits, and
// byChance that it loses whatever is under way. Neither is known without looks
// many times a second.
func (v *view) atLimit() bool {
	if !v.knowsFlight() || !v.answersLoss() || v.overtaken() {
		return false
	}
	l := v.near.Losses
	switch {
	case l.FlightCV <= equalFlight:
		return l.N >= leastEqual || l.N >= 2 && v.overflows()
	case l.FlightCV <= sameFlight:
		return l.N >= leastLosses
	}
	return false
}

func (v *view) byChance() bool {
	return v.knowsFlight() && v.near.Losses.N >= leastLosses && v.near.Losses.FlightCV >= anyFlight && !v.evenly() && !v.narrowly()
}

// knowsFlight says that looks tell how much was under way before losses.
func (v *view) knowsFlight() bool { return v.near != nil && v.near.Losses.Flight > 0 }

// narrowly says that of many losses the flights before them vary less than chance
// makes them, though not as little as those that fill a bucket of many packets: of
// one that holds seven, one more or less is a seventh. What is lost is lost several
// at a time.
func (v *view) narrowly() bool {
	l := v.near.Losses
	if l.N < manyLosses || !v.knowsFlight() || v.overtaken() || !v.answersLoss() {
		return false
	}
	most := l.FlightCV * (1 + 1/math.Sqrt(2*float64(l.N))) // the deviation's own standard error
	return most <= narrowFlight && v.resent/float64(l.N) >= fewBunches*(1+v.lost*l.Flight)
}

// evenly says that losses come too evenly for chance, and several at a time.
func (v *view) evenly() bool {
	l := v.near.Losses
	return v.resent >= leastEvents && v.unevenness() <= regular && v.resent/float64(l.N) >= bunches*(1+v.lost*l.Flight)
}

// heldAtLimit: it loses whenever as much is under way as fits, and no queue
// stands then: a bucket, or a queue of a few packets.
func (v *view) heldAtLimit() *said {
	if v.near == nil || v.overflows() {
		return nil
	}
	if !v.atLimit() {
		return v.heldNarrowly()
	}
	return &said{
		cause: finding.Policed, confidence: 0.7,
		summary: fmt.Sprintf("The stream loses whenever %.0f segments are under way, while no queue stands: a bucket or a queue of a few packets holds it at %s.",
			v.near.Losses.Flight, rate(v.rate)),
		evidence: append(v.modelEvidence(), v.overflowEvidence()...),
	}
}

// heldNarrowly: it loses many times, several segments at a time, whenever about
// as much is under way.
func (v *view) heldNarrowly() *said {
	if !v.narrowly() || !v.losesAlone() {
		return nil
	}
	return &said{
		cause: finding.Policed, confidence: 0.55,
		summary: fmt.Sprintf("The stream loses several segments at a time whenever about %.0f are under way (deviation %s), while no queue stands: a bucket or a queue of a few packets holds it at %s.",
			v.near.Losses.Flight, percent(v.near.Losses.FlightCV), rate(v.rate)),
		evidence: append(v.modelEvidence(), v.overflowEvidence()...),
	}
}

// overflows says that a queue stood when the stream lost: for long, or one of a few
// packets that else does not stand.
func (v *view) overflows() bool {
	if v.near.Losses.RTT-v.least > max(QueueRise*v.least, leastRise, keptSpan*v.Jitter) {
		return true
	}
	more := v.near.Losses.RTT - v.rtt
	return more > max(shortRise, keptSpan*v.Jitter) && more*v.through()/8/float64(v.mss()) >= shortQueue
}

// overflowing: it loses whenever as much is under way as fits, and a queue stands
// then. What passes at that moment is what the path carries; a stream that keeps
// near it fills its path, whatever its rate does after a loss.
func overflowing(v *view) *said {
	if v.near == nil || v.near.Losses.N == 0 || !v.overflows() || v.near.Typical == 0 {
		return nil
	}
	if !v.atLimit() {
		return v.overflowedOnce()
	}
	passes := v.through()
	e := append(v.networkEvidence(), v.overflowEvidence()...)
	e = append(e, finding.Evidence{What: "passes at that moment (in flight over RTT)", Value: passes, Unit: finding.BitRate})
	if share := v.near.Typical / passes; share < keptFull {
		return &said{
			cause: finding.ShallowBuffer, confidence: 0.7, evidence: e,
			summary: fmt.Sprintf("The stream overflows a queue whenever %.0f segments are under way, at %s, and keeps only %s between: the queue is too short for this distance.",
				v.near.Losses.Flight, rate(passes), rate(v.near.Typical)),
		}
	}
	if s := v.inBunches(e); s != nil {
		return s
	}
	return &said{
		cause: finding.Healthy, confidence: 0.85, evidence: e,
		summary: fmt.Sprintf("The stream fills its path: %s, and it loses only what overflows the queue of %s before it.",
			rate(v.near.Typical), duration(v.near.Losses.RTT-v.least)),
	}
}

// through is what got through while the queue overflowed, in bit/s: the last
// segment under way found no room.
func (v *view) through() float64 {
	if v.near.Losses.RTT <= 0 {
		return 0
	}
	return (v.near.Losses.Flight - 1) * float64(v.mss()) * 8 / v.near.Losses.RTT
}

// overflowedOnce: it lost less often than shows what fits. Where a queue stood
// then and none stands else, what passed was what the path carries all the same;
// a stream that keeps near it fills its path.
func (v *view) overflowedOnce() *said {
	if v.near.Losses.N >= leastLosses || v.above() || !v.answersLoss() || v.overtaken() || v.near.Typical < keptFull*v.through() {
		return nil
	}
	return &said{
		cause: finding.Healthy, confidence: 0.65,
		summary: fmt.Sprintf("The stream fills its path: %s, and it loses only now and then, what overflows a short queue.", rate(v.near.Typical)),
		evidence: append(append(v.networkEvidence(), v.overflowEvidence()...),
			finding.Evidence{What: "passes at that moment (in flight over RTT)", Value: v.through(), Unit: finding.BitRate}),
	}
}

func (v *view) overflowEvidence() []finding.Evidence {
	l := v.near.Losses
	return []finding.Evidence{
		{What: "loss events", Value: float64(l.N), Unit: finding.Count},
		{What: "in flight before one, mean", Value: l.Flight * float64(v.mss()), Unit: finding.Bytes},
		{What: "its coefficient of variation", Value: l.FlightCV, Unit: finding.Ratio},
	}
}

// lossy: it loses again and again with an empty queue, and so much that a
// congestion control that answers to losses carries no more.
func lossy(v *view) *said {
	if !v.losesAlone() || v.spuriousShare() >= 0.5 || v.atLimit() {
		return nil
	}
	fit, most := v.rate/v.expected(), 2*ModelSpread
	if v.Growth < -growing {
		most = falling // on its way down still to what this loss leaves
	}
	if fit < 1/ModelSpread || fit > most {
		return nil
	}
	c, e := 0.5+0.03*float64(min(v.Lossy, 10)), v.modelEvidence()
	if v.byChance() {
		e = append(e, v.overflowEvidence()...)
	}
	switch {
	case v.above(): // the path's jitter puts it there, or others' queue
		c = 0.5
	case v.bunched() || fit > 2*ModelSpread:
		c = 0.45
	case v.near == nil && v.resent >= leastEvents && v.unevenness() < regularish:
		c = 0.5
	}
	return &said{
		cause: finding.LossLimited, confidence: c,
		summary: fmt.Sprintf("The path loses %s of the packets while no queue stands, and %s takes each loss for congestion: it carries %s.",
			percent(v.lost), v.algorithm(), rate(v.rate)),
		evidence: e,
	}
}

// losesAlone says that the sender loses again and again, that it answers to it,
// and that no queue was full when it did.
func (v *view) losesAlone() bool {
	return v.lost >= leastLost && v.Lossy >= manyBouts && v.answersLoss() && !v.lostToQueue() && !v.topped()
}

// topped says that a queue was fuller than usual whenever it lost: chance asks for
// no queue.
func (v *view) topped() bool {
	return v.near != nil && v.near.Losses.N >= leastLosses && v.overflows() &&
		v.near.Losses.RTT-v.rtt > max(QueueRise*v.least, keptSpan*v.Jitter)
}

// span is how many seconds the figures are of that say "lately".
func (v *view) span() float64 { return max(min(v.Age, live.Lately), 1) }

// overflowed: it lost a bunch at once, or seldom, and grows slowly since: some
// queue or bucket is shorter than the flow's own bursts.
func overflowed(v *view) *said {
	if v.Retransmits == 0 || v.Ssthresh == 0 || !v.answersLoss() {
		return nil
	}
	if !v.bunched() && v.Growth < growing {
		return nil
	}
	if v.wasOvertaken() {
		return &said{
			cause: finding.Reordering, confidence: 0.55,
			summary: fmt.Sprintf("Packets overtake each other; the stream took late ones for lost (%d resent, at least %d needlessly) and has been growing back since, to %s.",
				v.Retransmits, v.Spurious, rate(v.rate)),
			evidence: append(v.modelEvidence(),
				finding.Evidence{What: "reordering events, lately", Value: float64(v.ReorderLately), Unit: finding.Count}),
		}
	}
	if v.young() {
		return &said{
			cause: finding.SlowStart, confidence: 0.45,
			summary: fmt.Sprintf("The stream lost %d segments in few bunches at the end of its slow start and has been growing back since, to %s: it is %.0f round trips old.",
				v.Retransmits, rate(v.rate), v.Age/v.least),
			evidence: v.modelEvidence(),
		}
	}
	if s := v.lostFew(); s != nil {
		return s
	}
	return &said{
		cause: finding.ShallowBuffer, confidence: 0.5,
		summary: fmt.Sprintf("The stream lost %d segments in few bunches while no queue stood, and has been growing back since, to %s: a queue on the path is short (or a policer's bucket).",
			v.Retransmits, rate(v.rate)),
		evidence: v.modelEvidence(),
	}
}

// wasOvertaken says that packets overtake each other, and that of what was resent
// since the connection began a part was spurious: the kernel waits longer for late
// ones the more it has seen, so that lately it may have resent little.
func (v *view) wasOvertaken() bool {
	return v.overtaken() && float64(v.Spurious) >= spuriousEver*float64(v.Retransmits)
}

// speedingUp: it lost nothing and grows: it left slow start early, or is in it.
func speedingUp(v *view) *said {
	if v.Growth < growing || v.lost > leastLost {
		return nil
	}
	s := &said{cause: finding.SlowStart, confidence: 0.55, evidence: v.networkEvidence()}
	s.summary = fmt.Sprintf("The stream loses nothing and still speeds up, to %s: it left slow start before its path was full.", rate(v.rate))
	if v.Ssthresh == 0 {
		s.summary = fmt.Sprintf("The stream is in its slow start still, at %s.", rate(v.rate))
	}
	return s
}

// bunched says that what was lost was lost many at a time, now and then.
func (v *view) bunched() bool {
	return v.Lossy < manyBouts || v.resent/float64(v.Lossy) > bunch && float64(v.Lossy) < v.span()/2
}

// lostToQueue says that the RTT was up when it lost.
func (v *view) lostToQueue() bool {
	return !v.shaken() && v.RTTAtLoss > max(LossRise*v.least, v.least+leastRise) && v.RTTAtLoss-v.least > keptSpan*v.Jitter
}

func (v *view) algorithm() string {
	if v.CC == "" {
		return "the congestion control"
	}
	return v.CC
}
