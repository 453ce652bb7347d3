package watched

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/stats"
)

// appLimited: the program has nothing to send for much of the time.
func appLimited(v *view) *said {
	l := v.Limits
	if l.App < LimitShare && !v.paces() && !v.runsDry() || l.App < max(l.ReceiveWindow, l.SendBuffer) {
		return nil
	}
	s := &said{
		cause: finding.AppLimited, confidence: stats.Clamp(0.6+0.4*l.App, 0.6, 0.97),
		summary: fmt.Sprintf("The program offers no more than %s: for %s of the time it had nothing to send.",
			rate(v.rate), percent(l.App)),
		evidence: v.limitEvidence(),
	}
	if v.near != nil && v.near.Dries > 0 {
		s.evidence = append(s.evidence, finding.Evidence{What: "times it had nothing to send", Value: float64(v.near.Dries), Unit: finding.Count})
	}
	if l.App < nearPaced {
		s.summary = fmt.Sprintf("The program offers no more than %s: %d times all that it had given was sent.", rate(v.rate), v.near.Dries)
	}
	return s
}

// pacedBySocket: the program told the kernel how fast to send (SO_MAX_PACING_RATE),
// as servers of video do, and that is what it sends.
func pacedBySocket(v *view) *said {
	if v.MaxPacing <= 0 || v.rate < pacedFull*v.MaxPacing {
		return nil
	}
	return &said{
		cause: finding.AppLimited, confidence: 0.95,
		summary:  fmt.Sprintf("The program has told the kernel to send no faster than %s, and that is what the stream carries.", rate(v.MaxPacing)),
		evidence: append(v.limitEvidence(), finding.Evidence{What: "SO_MAX_PACING_RATE", Value: v.MaxPacing, Unit: finding.BitRate}),
	}
}

// windowLimited: the peer's receive window is full.
func windowLimited(v *view) *said {
	l := v.Limits
	if l.ReceiveWindow < LimitShare && !v.closed() && !v.shuts() {
		return v.readInBursts() // where the window is full, the send buffer fills as well
	}
	if v.lost >= hugeLost && !v.shuts() {
		return nil // what came after a hole fills the receiver's buffer until the hole is
	}
	if v.full() && v.queued() && v.PeakDelivery > 0 && !v.shuts() {
		return nil // a window that keeps the path full is large enough
	}
	e := v.limitEvidence()
	if v.shuts() {
		e = append(e, finding.Evidence{What: "times the peer's window shut", Value: float64(v.near.Shuts), Unit: finding.Count})
	}
	if v.SendWindow > 0 {
		e = append(e, finding.Evidence{What: "receive window of the peer", Value: float64(v.SendWindow), Unit: finding.Bytes})
	}
	return &said{
		cause: finding.ReceiveWindow, confidence: stats.Clamp(0.6+0.4*l.ReceiveWindow, 0.6, 0.97),
		summary: fmt.Sprintf("The receiver lets this stream have no more under way for %s of the time: its program reads slowly, or its buffer is small for this distance.",
			percent(l.ReceiveWindow)),
		evidence: e,
	}
}

// readInBursts: the peer's window lies below its widest most of the time, by as much
// as arrives, and the stream alone fills no queue: what has arrived waits to be read.
// Linux acknowledges it when it is read, or after 40 ms (tcp_delack_timer), so that
// the RTT rises without a queue and losses cost more than they would.
func (v *view) readInBursts() *said {
	if late := v.answeredLate(); late != nil {
		return late
	}
	if v.near == nil || v.near.Dips < dipsShare || v.alone() {
		return nil
	}
	return v.bursts(fmt.Sprintf("at %s of the looks what had arrived waited to be read, and was acknowledged late", percent(v.near.Dips)))
}

// bursts is the finding that the receiver's program reads in bursts, and how that shows.
func (v *view) bursts(shows string, more ...finding.Evidence) *said {
	narrowed := finding.Evidence{What: "looks at which unread data narrowed the peer's window", Value: v.near.Dips, Unit: finding.Ratio}
	return &said{
		cause: finding.ReceiveWindow, confidence: 0.7,
		summary:  fmt.Sprintf("The receiver's program reads in bursts, %s on average: %s.", rate(v.rate), shows),
		evidence: append(append(v.limitEvidence(), narrowed), more...),
	}
}

// nowAndThen: much more is delivered at times than the stream carries, and its
// rate stands, or the receive window holds it for a small part of the time: the
// reader takes it in bursts, which make a queue or overflow one.
func nowAndThen(v *view) *said {
	l := v.Limits
	if v.near != nil || l.App >= partPaced || l.ReceiveWindow < l.SendBuffer || !v.faster(burstShare) {
		return nil
	}
	s := &said{
		cause: finding.ReceiveWindow, confidence: 0.55,
		evidence: append(v.limitEvidence(), finding.Evidence{What: "delivery rate, greatest", Value: v.PeakDelivery, Unit: finding.BitRate}),
	}
	switch {
	case l.ReceiveWindow >= partShare && (v.queued() || !v.losesAlone()):
		s.summary = fmt.Sprintf("The receiver lets this stream have no more under way for %s of the time, and in between up to %s arrive: its program reads in bursts, %s on average.",
			percent(l.ReceiveWindow), rate(v.PeakDelivery), rate(v.rate))
	case v.RateCV < flatCV && v.above() && v.lost < policerLost:
		s.confidence = 0.5
		s.summary = fmt.Sprintf("Up to %s arrive at times, behind a queue that is not always there, and %s every second all the same: the receiver's program reads at a rate of its own.",
			rate(v.PeakDelivery), rate(v.rate))
	default:
		return nil
	}
	return s
}

// paces: the program has nothing to send for a part of the time, and in between
// much more is delivered than it offers.
func (v *view) paces() bool {
	if v.near != nil {
		return v.Limits.App >= nearPaced && v.faster(burstShare)
	}
	return v.Limits.App >= partPaced && (v.NotSent < uint32(v.mss()) || v.RateCV < flatCV) && v.faster(burstShare)
}

// runsDry says that again and again all that the program had given was sent. What
// was sent in between is what the program gave, however long the path took for it.
// Where a queue stands all the same, the path is full, and the program waits for it
// most of the time: ssh rests for moments between its blocks.
func (v *view) runsDry() bool {
	return v.near != nil && !v.queued() && v.near.Dries >= manyDries && v.near.DrySpan >= drySpan*v.span()
}

// closed says that the peer's window is shut now and was full before: there is
// data to send, and none is under way.
func (v *view) closed() bool {
	return v.Unacked == 0 && v.NotSent > v.SegmentSize && v.Limits.ReceiveWindow >= closedShare
}

// shuts says that the receiver's window shuts again and again: whatever the
// stream carries between, its receiver's buffer is full, and what the receiver
// reads is what is carried in the end.
func (v *view) shuts() bool {
	return v.near != nil && v.near.Shuts >= manyShuts && v.near.Shut >= shutShare
}

// bufferLimited: this host's send buffer holds all that may be under way.
func bufferLimited(v *view) *said {
	l := v.Limits
	if l.SendBuffer < LimitShare || v.full() && v.queued() {
		return nil // a buffer that keeps the path full is large enough
	}
	e := v.limitEvidence()
	if v.Flow.SendBuffer > 0 {
		e = append(e, finding.Evidence{What: "send buffer", Value: float64(v.Flow.SendBuffer), Unit: finding.Bytes})
	}
	return &said{
		cause: finding.SendBuffer, confidence: stats.Clamp(0.6+0.4*l.SendBuffer, 0.6, 0.95),
		summary: fmt.Sprintf("This host's send buffer was empty of anything new for %s of the time, with all of it under way: it is small for this distance.",
			percent(l.SendBuffer)),
		evidence: e,
	}
}
