package seen

import (
	"slices"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/wire"
	"unchoke/tcpinfo"
)

// TCPFloor is the RTT of the path as the stream's own minimum gives it, for
// runs without echoes.
func TCPFloor(t *record.Transfer) flow.Spread {
	if s, ok := flow.Sending(t); ok {
		if rtt := flow.MinRTT([]record.Series{s}); rtt > 0 {
			return flow.Spread{N: 1, Low: rtt, Mid: rtt, High: rtt}
		}
	}
	return flow.Spread{}
}

// TCPRTT is the smoothed RTT that the sender itself saw, once it ran steadily.
func TCPRTT(t *record.Transfer) flow.Spread {
	s, _ := flow.Sending(t)
	return flow.SpreadOf(flow.RTTs(s, flow.Since(SteadyFrom*t.Duration)))
}

// SendersRTT is the longest median RTT that a transfer's senders saw themselves under
// load, in seconds, where their host tells; 0 elsewhere. A queue that keeps flows apart
// shows there and not in echo probes. A sender with few segments under way waits for
// delayed acknowledgements as well (RFC 1122 §4.2.3.2), and is left out; so are samples
// before which nothing new was acknowledged, as after a handshake that was lost and
// repeated.
func SendersRTT(t *record.Transfer) float64 {
	most := 0.0
	for _, s := range flow.SendingAll(t) {
		var rtt []float64
		acked := uint64(0)
		for _, x := range s.Samples {
			if x.Info.Has(tcpinfo.FieldBytesAcked) && x.Info.BytesAcked == acked {
				continue
			}
			acked = x.Info.BytesAcked
			if x.At >= SteadyFrom*t.Duration && x.Info.Unacked >= fullFlight && x.Info.RTT > 0 {
				rtt = append(rtt, x.Info.RTT.Seconds())
			}
		}
		if len(rtt) >= fullFlight {
			most = max(most, flow.SpreadOf(rtt).Mid)
		}
	}
	return most
}

// fullFlight segments are acknowledged at once, two at a time.
const fullFlight = 10

// SegmentSize is the payload of a full segment in bytes: as the connection tells, else as
// the route's MTU leaves it.
func SegmentSize(t *record.Transfer, route record.Route) int {
	if n := flow.SegmentSize(t.Series); n > 0 {
		return n
	}
	if route.MTU > 100 {
		return route.MTU - wire.IPTCP
	}
	return wire.Segment
}

// WithoutReleased is a transfer of several streams whose steady rate counts the time
// in which a loss held everything back, as well as what came at once when it was
// repaired: a receiver passes on, and acknowledges, nothing that lies behind a gap. Over
// a second or two the latter alone would be more than the line carries. It is no more than
// most either, the rate in bit/s at which the packets leave their sender.
func WithoutReleased(t *record.Transfer, rtt, most float64) *record.Transfer {
	if t == nil || len(t.Intervals) == 0 {
		return t
	}
	since, rate := 0.0, min(t.SteadyRate, most)
	for _, x := range t.Intervals {
		if x.Bytes > 0 {
			if x.At-since > max(leastHole, 2*rtt)+t.Intervals[0].At && since > 0 {
				rate = min(rate, t.Goodput(since/t.Duration, 1))
			}
			since = x.At
		}
	}
	if rate >= t.SteadyRate {
		return t
	}
	out := *t
	out.SteadyRate = rate
	return &out
}

// leastHole is the shortest time without an acknowledgement that is a gap, in seconds:
// a sender repairs no gap sooner than its least timeout (tcp_rto_min).
const leastHole = 0.2

// Sampled says that what arrived of each of a transfer's streams is known from
// moment to moment.
func Sampled(t *record.Transfer) bool {
	return len(t.Series) == t.Streams && !slices.ContainsFunc(t.Series, func(s record.Series) bool { return len(s.Samples) < 2 })
}

// Came is how many bytes of a stream had reached its receiver by a time, in order
// or not, where the kernel counts that.
func Came(s record.Series, at float64, mss int) float64 {
	i := 0
	for i < len(s.Samples) && s.Samples[i].At <= at {
		i++
	}
	if i == 0 {
		return 0
	}
	switch last := s.Samples[i-1].Info; {
	case s.Sender && last.Delivered > 0:
		return float64(last.Delivered) * float64(mss)
	case !s.Sender && last.DataSegsIn > 0:
		return float64(last.DataSegsIn) * float64(mss)
	}
	return flow.Arrived(s, at)
}

// TypicalRate is the median rate of the intervals of a transfer that is under way,
// in bit/s: an outage of part of them does not lower it.
func TypicalRate(t *record.Transfer) float64 {
	rates := ratesFrom(t, SteadyFrom*t.Duration)
	if len(rates) == 0 {
		return 0
	}
	return stats.Median(rates)
}

// ratesFrom are the rates of a transfer's intervals that end after a time, in bit/s.
func ratesFrom(t *record.Transfer, from float64) []float64 {
	var rates []float64
	for _, i := range t.Intervals {
		if i.At > from {
			rates = append(rates, i.Rate)
		}
	}
	return rates
}

// LostBy is the share of a TCP transfer's segments that its senders resent.
func LostBy(t *record.Transfer, mss int) float64 {
	sent := t.Rate*t.Duration/8/float64(mss) + float64(t.Retransmits)
	if t.Retransmits <= 0 {
		return 0
	}
	return float64(t.Retransmits) / sent
}
