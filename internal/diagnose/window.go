package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// windowLimited is the finding that a buffer of either host, which held the
// sender back for a share of the time, is smaller than the path's
// bandwidth-delay product; nil where it was not that.
func (v *view) windowLimited(cause finding.Cause, share float64) *finding.Finding {
	if !v.slow() || share < limitShare || v.growing && !v.growsBack(share) {
		return nil
	}
	return v.ofWindow(cause, v.windowConfidence(share), v.shortfall()*share)
}

// ofWindow is the finding that a buffer is too small for the path.
func (v *view) ofWindow(cause finding.Cause, confidence, severity float64) *finding.Finding {
	whose, remedy := "The sender's buffer", v.largerSendBuffer()
	if cause == finding.ReceiveWindow {
		whose, remedy = "The receiver's window", v.largerReceiveBuffer()
	}
	return &finding.Finding{
		Cause:      cause,
		Confidence: confidence,
		Severity:   severity,
		Summary: fmt.Sprintf("%s lets one stream have only %s in flight; this path needs %s to carry %s.",
			whose, size(v.limits.window), size(v.bdp()), rate(v.capacity)),
		Evidence: v.windowEvidence(),
		Remedies: []finding.Remedy{remedy},
	}
}

// growsBack says that a stream which speeds up does so after an outage, while the
// kernel's own account has it held by a buffer for most of the time: it would be
// past that buffer's window if it could.
func (v *view) growsBack(share float64) bool {
	return !v.limits.inferred && share > 0.5 && len(v.out.all) > 0
}

// reachesBuffers says that what the path has under way, at its rate and its round
// trip under load, is about what the smaller of both hosts' buffers holds. Of a
// host that did not tell it is Linux's default (tcp_init): 4 MiB to send, 6 MiB to
// receive. About half of either is payload (tcp_win_from_space, skb->truesize).
func (v *view) reachesBuffers() bool {
	const mib = 1 << 20
	most := min(bufferMost(v.run.Sender(v.dir), usualSendBuffer, true), bufferMost(v.run.Receiver(v.dir), 6*mib, false))
	return v.capacity/8*max(v.idle.Mid, v.loaded.Mid) >= nearBuffers*most/2
}

// bufferMost is how large a host lets a socket's buffer grow, in bytes.
func bufferMost(h *record.Host, usual float64, sends bool) float64 {
	switch {
	case h == nil:
		return usual
	case sends && h.TCPWmem[2] > 0:
		return float64(h.TCPWmem[2])
	case !sends && h.TCPRmem[2] > 0:
		return float64(h.TCPRmem[2])
	}
	return usual
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
