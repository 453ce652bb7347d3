package diagnose

import (
	"unchoke/internal/flow"
	"unchoke/internal/theory"
)

// limits says what held the sender back, for what share of the time.
type limits struct {
	flow.Limits
	inferred bool // from what else was seen, where the sender does not tell

	window     float64 // the sender's bytes in flight, rate × RTT
	advertised float64 // the receive window that was offered, 0 where unknown
}

func limitsOf(v *view) limits {
	l := limits{window: v.rate / 8 * max(v.loaded.Mid, v.idle.Mid)}
	span := flow.Since(steadyFrom * v.one.Duration)
	s, sends := flow.Sending(v.one)
	if !sends {
		s, _ = flow.Seen(v.one.Series, false)
	}
	l.advertised = flow.Advertised(s, span)
	if sends && flow.Accounts(s) {
		l.Limits = flow.LimitsOf(s, span, v.sendBufferMost())
	} else {
		l.inferred = true
		l.Limits = v.inferredLimits(l)
	}
	return l
}

// sendBufferMost is the most that the sender's socket buffer may hold, in bytes;
// 0 where it is not known.
func (v *view) sendBufferMost() int64 {
	if h := v.run.Sender(v.dir); h != nil {
		return h.TCPWmem[2]
	}
	return 0
}

// inferredLimits goes by what the receiving end saw. A sender that neither
// loses nor speeds up any more is held by a window: by the receiver's where the
// bytes in flight fill what was advertised. One that loses is held by its
// congestion window, unless it carries far more than that loss would let it.
// What is left is a sender that had nothing to send although both windows had
// room: its buffer was full, or its program offered no more.
func (v *view) inferredLimits(l limits) flow.Limits {
	byLoss := theory.CubicRate(v.idle.Mid, v.losses.AllRatio(), v.mss)
	losing := v.losses.Resent != 0 && (byLoss < explains*v.rate || v.cc != "" && !lossBased[v.cc])
	atMost := l.window + v.rate/8*2*v.loaded.Noise() // where the delay varies, by the RTT's error
	switch {
	case v.slow() && !v.growing && v.losses.Resent == 0 && atMost >= windowFull*l.advertised && l.advertised > 0:
		// Whatever makes the round trip longer, a way back full of acknowledgements
		// for instance, the window is what the sender may not exceed.
		return flow.Limits{ReceiveWindow: 1}
	case v.growing, losing, v.queued(), v.inTimeouts(l):
		return flow.Limits{Network: 1}
	case l.advertised > 0 && l.window >= windowFilled*l.advertised:
		return flow.Limits{ReceiveWindow: 1}
	case v.one.CPUFar > busyCPU:
		return flow.Limits{App: 1}
	case v.shared():
		return flow.Limits{Starved: 1}
	case v.terse():
		return flow.Limits{} // a buffer, or packets that vanish: nothing tells
	}
	return flow.Limits{SendBuffer: 1}
}

// inTimeouts says that a stream which loses has too little under way for a buffer
// to be what holds it: with three segments or fewer, no loss brings the three
// duplicate acknowledgements of a fast retransmit (RFC 5681 §3.2), and the sender
// waits for its timer.
func (v *view) inTimeouts(l limits) bool {
	return v.losses.Resent > 0 && l.window <= float64(3*v.mss)
}

// terse says that this host sends and its system does not tell what limits it.
func (v *view) terse() bool {
	s, sends := flow.Sending(v.one)
	return sends && !flow.Accounts(s)
}

// shared says that many streams together carry no more than one, although the
// path could: what holds them is one thing for all, and no socket's buffer.
// iperf3 offers as much as its socket takes; a program that reads a file or
// another network may not.
func (v *view) shared() bool {
	return v.eight != nil && v.eight.SteadyRate < manyOfOne*v.rate && v.eight.SteadyRate < slowShare*v.capacity
}
