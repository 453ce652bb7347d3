package diagnose

import (
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// rtts lists the round-trip times of the probes sent from a time on and
// before another, both in seconds since the series began. A nil series has
// none.
func rtts(e *record.Echo, from, to float64) []float64 {
	if e == nil {
		return nil
	}
	var out []float64
	for _, p := range e.Probes {
		if p.RTT > 0 && p.At >= from && p.At < to {
			out = append(out, p.RTT)
		}
	}
	return out
}

// tcpFloor is the RTT of the path as the stream's own minimum gives it, for
// runs without echoes.
func tcpFloor(t *record.Transfer) flow.Spread {
	if s, ok := flow.Sending(t); ok {
		if rtt := flow.MinRTT([]record.Series{s}); rtt > 0 {
			return flow.Spread{N: 1, Low: rtt, Mid: rtt, High: rtt}
		}
	}
	return flow.Spread{}
}

// tcpRTT is the smoothed RTT that the sender itself saw, once it ran steadily.
func tcpRTT(t *record.Transfer) flow.Spread {
	s, _ := flow.Sending(t)
	return flow.SpreadOf(flow.RTTs(s, flow.Since(steadyFrom*t.Duration)))
}
