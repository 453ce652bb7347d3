package diagnose

import (
	"unchoke/internal/flow"
	"unchoke/tcpinfo"
)

// wait is how long packets wait at the bottleneck when more is offered than it
// carries, in seconds: how long its queue is. own is the wait of the packets
// offered, others that of packets beside them; a queue that keeps flows apart
// makes only the former wait. known is false where no rung overloaded the path.
func (v *view) wait() (own, others float64, known bool) {
	for _, r := range v.overloads() {
		if r.risen {
			own, others, known = max(own, r.rise), max(others, r.rise), true
		}
		if r.timed {
			own, known = max(own, r.own-v.steadyOwn()), true
		}
	}
	if !known {
		return 0, 0, false
	}
	return max(own, v.tcpRise, v.late), others, true
}

// isolated says that the bottleneck keeps flows apart (fq_codel, cake): those
// that fill it wait, and others do not, beside a flood or beside TCP. A flood
// of a second may end before a slow line's queue is full, which TCP fills.
func (v *view) isolated() bool {
	own, others, known := v.wait()
	beside := max(others, v.loaded.Mid-v.idle.Mid, v.busier.Mid-v.idle.Mid)
	return known && own > 2*beside+leastWait
}

// inQueue says that a rung lost packets and ran while the queue that an overload fills
// was half full or more, by the echo probes beside it: the path carried less then
// than at another time.
func (v *view) inQueue(r rung) bool {
	_, full, known := v.wait()
	return known && r.lost > 0 && r.risen && r.rise > max(full/2, 4*v.idle.Noise(), leastWait)
}

// steadyOwn is how much the delay of the packets of a rung varied where the
// path was not full: the path's jitter, which is no queue.
func (v *view) steadyOwn() float64 {
	for _, r := range v.rungs {
		if r.timed && !r.overloaded(v.rungs) {
			return r.own
		}
	}
	return 0
}

// tcpRiseOf is how far the senders' own RTT stood above the idle one under
// load, where their host tells: a queue that keeps flows apart shows there and
// not in echo probes. It goes by whichever of one stream and eight waited
// longer. A sender with few segments under way waits for delayed
// acknowledgements as well (RFC 1122 §4.2.3.2), and is left out; so are samples before
// which nothing new was acknowledged, as after a handshake that was lost and repeated.
func tcpRiseOf(v *view) float64 {
	rise := 0.0
	for _, t := range v.tcp() {
		for _, s := range flow.SendingAll(t) {
			var rtt []float64
			acked := uint64(0)
			for _, x := range s.Samples {
				if x.Info.Has(tcpinfo.FieldBytesAcked) && x.Info.BytesAcked == acked {
					continue
				}
				acked = x.Info.BytesAcked
				if x.At >= steadyFrom*t.Duration && x.Info.Unacked >= fullFlight && x.Info.RTT > 0 {
					rtt = append(rtt, x.Info.RTT.Seconds())
				}
			}
			if len(rtt) >= fullFlight && v.idle.N > 0 {
				rise = max(rise, flow.SpreadOf(rtt).Mid-v.idle.Mid)
			}
		}
	}
	return rise
}

// fullFlight segments are acknowledged at once, two at a time.
const fullFlight = 10
