package flow

import "unchoke/internal/record"

// said is what a series says of its connection over a span.
type said struct {
	Rate        float64 // that arrived
	SegmentSize int     // payload of a full segment in bytes; 0 where unknown
	MinRTT      float64 // the least since the connection began; 0 where unknown
	RTT         Spread  // as TCP measured it
	Limits      Limits  // of a sender
	Losses      Losses  // of a sender
	Stalls      []Stall
	// Timeouts counts retransmission timeouts; -1 where the kernel does not
	// tell (before Linux 6.7) or the series is a receiver's.
	Timeouts int
}

// saidOf reads a series over a span. buffer is the most that the sender's socket
// buffer may hold, as the kernel counts it, 0 where unknown: see LimitsOf.
func saidOf(s record.Series, in Span, buffer int64) said {
	alone := []record.Series{s}
	f := said{
		Rate: Rate(alone, in), SegmentSize: SegmentSize(alone),
		MinRTT: MinRTT(alone), RTT: SpreadOf(RTTs(s, in)), Timeouts: -1,
	}
	f.Stalls = Stalls(s, in, f.RTT.Mid)
	first, last, ok := ends(s, in)
	if !ok || !s.Sender {
		return f
	}
	f.Limits = LimitsOf(s, in, buffer)
	f.Losses = LossesBetween(first.Info, last.Info)
	f.Timeouts = Timeouts(first.Info, last.Info)
	return f
}
