package flow

import (
	"time"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// RTTs lists the round trips that TCP itself measured over a span, in seconds:
// a sender's smoothed ones, or a receiver's estimates.
func RTTs(s record.Series, in Span) []float64 {
	var out []float64
	for _, x := range s.Samples {
		rtt := x.Info.RTT
		if !s.Sender {
			rtt = x.Info.RcvRTT
		}
		if x.At >= in.From && x.At < in.To && rtt > 0 {
			out = append(out, rtt.Seconds())
		}
	}
	return out
}

// MinRTT is the least round trip that TCP saw on any of the streams, in
// seconds: the kernel's own minimum where it tells it, else the least smoothed
// one; 0 where unknown.
func MinRTT(all []record.Series) float64 {
	var least time.Duration
	for _, s := range all {
		for _, x := range s.Samples {
			for _, rtt := range []time.Duration{x.Info.MinRTT, x.Info.RTT} {
				if rtt > 0 && rtt < tcpinfo.NoMinRTT && (least == 0 || rtt < least) {
					least = rtt
				}
			}
		}
	}
	return least.Seconds()
}

// RTTAtLoss is the sender's mean RTT in the samples of a span in which it retransmitted,
// weighed by how much, in seconds; ok is false where it retransmitted nothing.
func RTTAtLoss(s record.Series, in Span) (mean float64, ok bool) {
	var sum, weight float64
	var before uint32
	for _, x := range s.Samples {
		if w := float64(x.Info.TotalRetrans - before); s.Sender && x.Info.TotalRetrans > before && x.Info.RTT > 0 && x.At >= in.From && x.At <= in.To {
			sum += w * x.Info.RTT.Seconds()
			weight += w
		}
		before = x.Info.TotalRetrans
	}
	return sum / max(weight, 1), weight > 0
}
