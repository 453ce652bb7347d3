package flow

import (
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Stall is a time in which data was under way and none was delivered.
type Stall struct {
	At       float64 `json:"at_s"`
	Duration float64 `json:"duration_s"`
}

// Stalls lists the times within a span in which nothing was delivered for
// longer than a second or four round trips, whichever is more: a retransmission
// timeout takes at least RTT + 200 ms (Linux, TCP_RTO_MIN) and doubles each
// time, so that what is shorter may be one ordinary recovery. A sender with
// nothing under way does not stall: its program is idle.
func Stalls(s record.Series, in Span, rtt float64) []Stall {
	least := LeastStall(rtt)
	var out []Stall
	var since record.Sample // when the count last changed, or data got under way
	flush := func(until float64) {
		if until-since.At > least {
			out = append(out, Stall{At: since.At, Duration: until - since.At})
		}
	}
	begun := false
	for _, x := range s.Samples {
		if x.At < in.From || x.At >= in.To {
			continue
		}
		idle := s.Sender && begun && tells(&since.Info, tcpinfo.FieldUnacked) && since.Info.Unacked == 0 && since.Info.NotsentBytes == 0
		if !begun || idle || arrived(s, x) != arrived(s, since) {
			if begun && !idle {
				flush(x.At)
			}
			since, begun = x, true
		}
	}
	if last := lastBefore(s, in.To); begun && last.At > since.At && arrived(s, last) == arrived(s, since) {
		flush(last.At)
	}
	return out
}

// LeastStall is how long nothing must be delivered for that to be a stall, in
// seconds: see Stalls.
func LeastStall(rtt float64) float64 { return max(1, 4*rtt) }

func lastBefore(s record.Series, to float64) record.Sample {
	var last record.Sample
	for _, x := range s.Samples {
		if x.At < to {
			last = x
		}
	}
	return last
}
