package view

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
	"unchoke/internal/theory"
)

// Limits says what held the sender back, for what share of the time.
type Limits struct {
	flow.Limits
	Inferred bool // from what else was seen, where the sender does not tell

	InFlight   float64 // the sender's bytes in flight while no outage interrupts it, rate × RTT
	Advertised float64 // the receive window that was offered, 0 where unknown
	Offered    float64 // the largest that a sender was ever offered: what lies behind a gap closes it
}

func limitsOf(v *View) Limits {
	l := Limits{InFlight: v.Running() / 8 * max(v.Loaded.Mid, v.Idle.Mid)}
	span := flow.Since(seen.SteadyFrom * v.One.Duration)
	s, sends := flow.Sending(v.One)
	if !sends {
		s, _ = flow.Seen(v.One.Series, false)
	}
	l.Advertised = flow.Advertised(s, span)
	if sends {
		for _, x := range s.Samples {
			l.Offered = max(l.Offered, float64(x.Info.SndWnd))
		}
	}
	if sends && flow.Accounts(s) {
		l.Limits = flow.LimitsOf(s, span, v.sendBufferMost())
	} else {
		l.Inferred = true
		l.Limits = v.inferredLimits(l)
	}
	return l
}

// sendBufferMost is the most that the sender's socket buffer may hold, in bytes;
// 0 where it is not known.
func (v *View) sendBufferMost() int64 {
	if h := v.Run.Sender(v.Dir); h != nil {
		return h.TCPWmem[2]
	}
	return 0
}

// inferredLimits goes by what the receiving end saw. A sender that neither
// loses nor speeds up any more is held by a window: by the receiver's where the
// bytes in flight fill what was advertised, whatever it loses. Else one that loses is
// held by its congestion window, unless it carries far more than that loss would let it,
// or the same in each round trip, or what it carried at another time without a loss.
// What is left is a sender that had nothing to send although both windows had
// room: its buffer was full, or its program offered no more.
func (v *View) inferredLimits(l Limits) flow.Limits {
	byLoss := theory.CubicRate(v.Idle.Mid, v.Losses.AllRatio(), v.MSS)
	losing := v.Losses.Resent != 0 && (byLoss < ModelSpread*v.Running() || !congestion.LossBasedOrUnknown(v.CC))
	atMost := l.InFlight + v.Rate/8*2*v.Loaded.Noise() // where the delay varies, by the RTT's error
	switch {
	case v.Slow() && !v.Growing && v.Losses.Resent >= 0 && v.Losses.Steady == 0 && atMost >= windowFull*l.Advertised && l.Advertised > 0:
		// Whatever makes the round trip longer, a way back full of acknowledgements
		// for instance, the window is what the sender may not exceed. What slow start
		// lost it has made up for.
		return flow.Limits{ReceiveWindow: 1}
	case v.Growing, v.Queued() && !v.windowUnused(), v.inTimeouts(l):
		return flow.Limits{Network: 1}
	case l.Advertised > 0 && l.InFlight >= windowFilled*l.Advertised:
		return flow.Limits{ReceiveWindow: 1}
	case losing && (v.standsLevel() || v.heldAnyway()):
		return flow.Limits{SendBuffer: 1}
	case losing:
		return flow.Limits{Network: 1}
	case v.One.SenderCPU() > BusyCPU:
		return flow.Limits{App: 1}
	case v.shared():
		return flow.Limits{Starved: 1}
	case v.terse():
		return flow.Limits{} // a buffer, or packets that vanish: nothing tells
	case v.Losses.Resent < 0 && v.RandomLossExplains():
		return flow.Limits{Network: 1}
	case v.Losses.Resent < 0 && !v.standsLevel(), l.Advertised == 0, v.Idle.N == 0:
		return flow.Limits{} // what it lost, the window or the round trip is not known
	}
	return flow.Limits{SendBuffer: 1}
}

// inTimeouts says that a stream which loses has too little under way for a buffer
// to be what holds it: with three segments or fewer, no loss brings the three
// duplicate acknowledgements of a fast retransmit (RFC 5681 §3.2), and the sender
// waits for its timer.
func (v *View) inTimeouts(l Limits) bool {
	return v.Losses.Resent > 0 && l.InFlight <= float64(3*v.MSS)
}

// terse says that this host sends and its system does not tell what limits it.
func (v *View) terse() bool {
	s, sends := flow.Sending(v.One)
	return sends && !flow.Accounts(s)
}

// shared says that many streams together carry no more than one, although the
// path could: what holds them is one thing for all, and no socket's buffer.
// iperf3 offers as much as its socket takes; a program that reads a file or
// another network may not. Where only the eight lose packets, the network holds them.
func (v *View) shared() bool {
	if v.Eight == nil || v.Losses.Resent == 0 && v.Eight.Retransmits > 0 {
		return false
	}
	return v.Eight.SteadyRate < manyOfOne*v.Rate && v.Eight.SteadyRate < SlowShare*v.Capacity
}
