package diagnose

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/theory"
	"unchoke/tcpinfo"
)

// slowStart: the sender left slow start without a loss, long before the path
// was full, and has not grown to it since. HyStart takes a delay that varies
// for a queue that fills (RFC 9406 §4.2, Linux's hystart_update).
func slowStart(v *view) *finding.Finding {
	exit, known := v.slowStartExit()
	return v.leftSlowStart(exit, known)
}

// farSlowStart is the same by the windows that a far sender tells once a second. It is
// asked where nothing else was found.
func farSlowStart(v *view) *finding.Finding {
	if exit, known := v.farExit(); known {
		return v.leftSlowStart(exit, known)
	}
	return nil
}

// leftSlowStart is the finding of a sender that left slow start with so many bytes under
// way, where that is known.
func (v *view) leftSlowStart(exit float64, known bool) *finding.Finding {
	if !v.slow() || v.rate >= shallowShare*v.capacity && !v.growing || v.limits.Network < limitShare || v.lossy() || v.overtaken() {
		return nil
	}
	if _, busy := v.others(); busy {
		return nil // their queue ends a slow start as well
	}
	switch {
	case v.growing && theory.CubicGrowth(v.bdp(), v.mss) < soon:
		return nil
	case known && exit >= halfFull*v.bdp():
		return nil
	case v.losses.steady > 0 && v.bunches():
		return nil // what it lost since then holds it back, not where it began
	case !known && (!v.growing || v.losses.Real != 0 || v.queued()):
		return nil
	}
	summary := fmt.Sprintf("Nothing was lost and no queue stood when the sender left slow start, with %s under way of the %s that fill this path; since then it grows slowly: one stream gets %s of %s.",
		size(exit), size(v.bdp()), rate(v.rate), rate(v.capacity))
	if !known {
		summary = fmt.Sprintf("Nothing was lost, and the stream was still speeding up when it ended, at %s of %s: it is slow because it is young.", rate(v.rate), rate(v.capacity))
	}
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
		{What: "bandwidth-delay product", Value: v.bdp(), Unit: finding.Bytes},
		{What: "growing back takes (RFC 9438 §4.2, K)", Value: theory.CubicGrowth(v.bdp(), v.mss), Unit: finding.Seconds, Source: theory.CubicGrowthSource},
		{What: "standard deviation of the RTT", Value: v.idle.Dev, Unit: finding.Seconds},
	}
	if known {
		e = append(e, finding.Evidence{What: "under way at the end of slow start", Value: exit, Unit: finding.Bytes})
	}
	for _, name := range []string{"TCPHystartTrainDetect", "TCPHystartDelayDetect"} {
		if n := counter(v.one.SenderSide(), name); n > 0 && known {
			e = append(e, finding.Evidence{What: name, Value: float64(n), Unit: finding.Count})
		}
	}
	confidence := 0.75 // 7 of 7 such verdicts were right
	if known {
		confidence = 0.8
	}
	return &finding.Finding{
		Cause:      finding.SlowStart,
		Confidence: confidence,
		Severity:   v.shortfall() * v.limits.Network,
		Summary:    summary,
		Evidence:   append(e, v.retransmitEvidence()...),
		Remedies: []finding.Remedy{
			finding.Remedy{
				What:  "Use BBR on the host that sends: it looks for the rate of the path by what arrives, and leaves its start-up only when that stops growing. It acts on new connections.",
				Where: finding.Sender,
				Host:  v.sender(),
			}.By(finding.UseCC("bbr")),
			{
				What:  "Use one connection for long: it grows into the path, and keeps what it has found as long as it is not idle (net.ipv4.tcp_slow_start_after_idle=0 keeps it through pauses).",
				Where: finding.Sender,
				Host:  v.sender(),
			},
		},
	}
}

// counter is how far a counter of a host went during a test; 0 where it did not
// tell.
func counter(side *record.Transfer, name string) int64 {
	if side == nil {
		return 0
	}
	return side.Counters[name]
}

// slowStartExit is how many bytes the sender had under way when it set its
// slow start threshold, where it did so before it had resent anything; known is
// false where it did not, or the sender does not tell.
func (v *view) slowStartExit() (bytes float64, known bool) {
	s, ok := flow.Sending(v.one)
	if !ok {
		return 0, false
	}
	for _, x := range s.Samples {
		if !x.Info.Has(tcpinfo.FieldSndSsthresh) || x.Info.SndSsthresh >= infiniteSsthresh {
			continue
		}
		return float64(x.Info.SndSsthresh) * float64(v.mss), x.Info.TotalRetrans == 0
	}
	return 0, false
}

// farExit is the same of a loss-based far sender that tells its window once a second, as
// a stock server does: the first window is at most that of the end of slow start where it
// had resent nothing by then, and slow start would have filled the path meanwhile.
func (v *view) farExit() (bytes float64, known bool) {
	if len(v.one.Far) == 0 || !lossBased[v.cc] || v.idle.Mid <= 0 || v.mss <= 0 {
		return 0, false
	}
	first := v.one.Far[0]
	doublings := math.Log2(max(v.bdp()/float64(initialWindow*v.mss), 1))
	if first.Cwnd == 0 || first.Retransmits > 0 || first.End < startUps*doublings*v.idle.Mid {
		return 0, false
	}
	return float64(first.Cwnd), true
}

// startUps: a slow start that takes so much longer than doubling every round trip has
// ended.
const startUps = 1.5

// infiniteSsthresh is TCP_INFINITE_SSTHRESH, include/net/tcp.h: none is set.
const infiniteSsthresh = 0x7fffffff
