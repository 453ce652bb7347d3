package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
)

// windowLimited is the finding that a buffer of either host, which held the
// sender back for a share of the time, is smaller than the path's
// bandwidth-delay product; nil where it was not that.
func (v *view) windowLimited(cause finding.Cause, whose string, share float64, remedy finding.Remedy) *finding.Finding {
	if !v.slow() || v.growing || share < limitShare {
		return nil
	}
	return &finding.Finding{
		Cause:      cause,
		Confidence: v.windowConfidence(share),
		Severity:   v.shortfall() * share,
		Summary: fmt.Sprintf("%s lets one stream have only %s in flight; this path needs %s to carry %s.",
			whose, size(v.limits.window), size(v.bdp()), rate(v.capacity)),
		Evidence: v.windowEvidence(),
		Remedies: []finding.Remedy{remedy},
	}
}

// bdp is the path's bandwidth-delay product in bytes.
func (v *view) bdp() float64 { return v.capacity / 8 * v.idle.Mid }

// bufferFor is the buffer in bytes for twice the bandwidth-delay product, in
// whole mebibytes. Linux counts a buffer's bookkeeping in it, so that about
// half is payload (tcp_win_from_space): hence twice that again.
func (v *view) bufferFor() int64 {
	const mib = 1 << 20
	return (int64(4*v.bdp())/mib + 1) * mib
}

// windowConfidence is how sure a window-limited verdict can be: the kernel's
// own account is nearly certain, an inference from the other end less so.
func (v *view) windowConfidence(share float64) float64 {
	c := 0.6 + 0.4*share
	if v.limits.inferred {
		c -= 0.15
		if v.one.CPUFar > busyCPU {
			c -= 0.3 // a sender without a core to run on looks the same
		}
	}
	return c
}

func (v *view) windowEvidence() []finding.Evidence {
	l := v.limits
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "the path carries", Value: v.capacity, Unit: finding.BitRate},
		{What: "round-trip time", Value: v.idle.Mid, Unit: finding.Seconds},
		{What: "bandwidth-delay product", Value: v.bdp(), Unit: finding.Bytes},
		{What: "in flight (rate × RTT)", Value: l.window, Unit: finding.Bytes},
	}
	if l.advertised > 0 {
		e = append(e, finding.Evidence{What: "receive window advertised", Value: l.advertised, Unit: finding.Bytes})
	}
	if !l.inferred {
		e = append(e, v.limitEvidence()...)
	}
	return append(e, finding.Evidence{What: "retransmits", Value: float64(v.losses.Resent), Unit: finding.Count})
}

// limitEvidence is the sender's time by what limited it.
func (v *view) limitEvidence() []finding.Evidence {
	l := v.limits
	if l.inferred {
		return nil
	}
	e := []finding.Evidence{
		{What: "time limited by the receive window", Value: l.ReceiveWindow, Unit: finding.Ratio},
		{What: "time limited by the send buffer", Value: l.SendBuffer, Unit: finding.Ratio},
		{What: "time limited by the network (congestion window)", Value: l.Network, Unit: finding.Ratio},
	}
	if l.App > worthSaying {
		e = append(e, finding.Evidence{What: "time in which the program offered nothing", Value: l.App, Unit: finding.Ratio})
	}
	if l.Starved > worthSaying {
		e = append(e, finding.Evidence{What: "time with nothing to send, by its buffer or its program", Value: l.Starved, Unit: finding.Ratio})
	}
	return e
}

// worthSaying: a smaller share of the time explains nothing.
const worthSaying = 0.05
