package diagnose

import "fmt"

// windowShare: a buffer that held the sender back for this share of the time
// is worth naming.
const windowShare = 0.3

// windowLimited is the finding that a buffer of either host, which held the
// sender back for a share of the time, is smaller than the path's
// bandwidth-delay product; nil where it was not that.
func (v *view) windowLimited(cause Cause, whose string, share float64, remedy Remedy) *Finding {
	if !v.slow() || v.growing || share < windowShare {
		return nil
	}
	return &Finding{
		Cause:      cause,
		Confidence: v.windowConfidence(share),
		severity:   v.shortfall() * share,
		Summary: fmt.Sprintf("%s lets one stream have only %s in flight; this path needs %s to carry %s.",
			whose, size(v.limits.window), size(v.bdp()), rate(v.capacity)),
		Evidence: v.windowEvidence(),
		Remedies: []Remedy{remedy},
	}
}

// bdp is the path's bandwidth-delay product in bytes.
func (v *view) bdp() float64 { return v.capacity / 8 * v.idle.mid }

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
		if v.one.CPUFar > 0.9 {
			c -= 0.3 // a sender without a core to run on looks the same
		}
	}
	return c
}

func (v *view) windowEvidence() []Evidence {
	l := v.limits
	e := []Evidence{
		{What: "one stream carries", Value: v.rate, Unit: bitRate},
		{What: "the path carries", Value: v.capacity, Unit: bitRate},
		{What: "round-trip time", Value: v.idle.mid, Unit: seconds},
		{What: "bandwidth-delay product", Value: v.bdp(), Unit: bytes},
		{What: "in flight (rate × RTT)", Value: l.window, Unit: bytes},
	}
	if l.advertised > 0 {
		e = append(e, Evidence{What: "receive window advertised", Value: l.advertised, Unit: bytes})
	}
	if !l.inferred {
		e = append(e, v.limitEvidence()...)
	}
	return append(e, Evidence{What: "retransmits", Value: float64(v.losses.resent), Unit: count})
}

// limitEvidence is the sender's time by what limited it.
func (v *view) limitEvidence() []Evidence {
	l := v.limits
	if l.inferred {
		return nil
	}
	return []Evidence{
		{What: "time limited by the receive window", Value: l.rwnd, Unit: ratio},
		{What: "time limited by the send buffer", Value: l.sndbuf, Unit: ratio},
		{What: "time limited by the network (congestion window)", Value: l.network, Unit: ratio},
	}
}
