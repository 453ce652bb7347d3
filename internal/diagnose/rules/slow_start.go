package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/theory"
)

// SlowStart: the sender left slow start without a loss, long before the path
// was full, and has not grown to it since. HyStart takes a delay that varies
// for a queue that fills (RFC 9406 §4.2, Linux's hystart_update).
func SlowStart(v *view.View) *finding.Finding {
	exit, known := v.SlowStartExit()
	return leftSlowStart(v, exit, known)
}

// FarSlowStart is the same by the windows that a far sender tells once a second. It is
// asked where nothing else was found.
func FarSlowStart(v *view.View) *finding.Finding {
	if exit, known := v.FarExit(); known {
		return leftSlowStart(v, exit, known)
	}
	return nil
}

// leftSlowStart is the finding of a sender that left slow start with so many bytes under
// way, where that is known.
func leftSlowStart(v *view.View, exit float64, known bool) *finding.Finding {
	if !congestion.LossBasedOrUnknown(v.CC) || v.Losses.Resent < 0 || !v.Slow() || v.Enough() && !v.Growing || v.Limits.Network < view.LimitShare || v.Lossy() || v.Overtaken() {
		return nil
	}
	if _, busy := v.Others(); busy {
		return nil // their queue ends a slow start as well
	}
	if _, found := v.AcksQueue(); found {
		return nil // so does that of the acknowledgements
	}
	switch {
	case v.Growing && theory.CubicGrowth(v.BDP(), v.MSS) < soon:
		return nil
	case known && exit >= halfFull*v.BDP():
		return nil
	case v.Losses.Steady > 0 && v.Bunches():
		return nil // what it lost since then holds it back, not where it began
	case !known && (!v.Growing || v.Losses.Real != 0 || v.Queued()):
		return nil
	}
	summary := fmt.Sprintf("Nothing was lost and no queue stood when the sender left slow start, with %s under way of the %s that fill this path; since then it grows slowly: one stream gets %s of %s.",
		words.Size(exit), words.Size(v.BDP()), words.Rate(v.Rate), words.Rate(v.Capacity))
	if !known {
		summary = fmt.Sprintf("Nothing was lost, and the stream was still speeding up when it ended, at %s of %s: it is slow because it is young.", words.Rate(v.Rate), words.Rate(v.Capacity))
	}
	var e []finding.Evidence
	if known {
		e = append(e, finding.Evidence{What: "under way at the end of slow start", Value: exit, Unit: finding.Bytes})
	}
	for _, name := range []string{"TCPHystartTrainDetect", "TCPHystartDelayDetect"} {
		if n := counter(v.One.SenderSide(), name); n > 0 && known {
			e = append(e, finding.Evidence{What: name, Value: float64(n), Unit: finding.Count})
		}
	}
	confidence := 0.75 // 7 of 7 such verdicts were right
	if known {
		confidence = 0.8
	}
	return ofSlowStart(v, confidence, summary, e...)
}

// ofSlowStart is the finding that a sender left slow start long before the path was full,
// with more evidence of it.
func ofSlowStart(v *view.View, confidence float64, summary string, more ...finding.Evidence) *finding.Finding {
	return &finding.Finding{
		Cause:      finding.SlowStart,
		Confidence: confidence,
		Severity:   v.Shortfall() * v.Limits.Network,
		Summary:    summary,
		Evidence: slices.Concat(words.RateEvidence(v), []finding.Evidence{
			{What: "bandwidth-delay product", Value: v.BDP(), Unit: finding.Bytes},
			growingBackTakes(theory.CubicGrowth(v.BDP(), v.MSS)),
			{What: "standard deviation of the RTT", Value: v.Idle.Dev, Unit: finding.Seconds},
		}, more, words.RetransmitEvidence(v)),
		Remedies: []finding.Remedy{
			finding.Remedy{
				What:  "Use BBR on the host that sends: it looks for the rate of the path by what arrives, and leaves its start-up only when that stops growing. It acts on new connections.",
				Where: finding.Sender,
				Host:  v.Sender(),
			}.By(finding.UseCC("bbr")),
			{
				What:  "Use one connection for long: it grows into the path, and keeps what it has found as long as it is not idle (net.ipv4.tcp_slow_start_after_idle=0 keeps it through pauses).",
				Where: finding.Sender,
				Host:  v.Sender(),
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
