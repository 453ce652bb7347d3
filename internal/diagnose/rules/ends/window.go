package ends

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// windowLimited is the finding that a buffer of either host, which held the
// sender back for a share of the time, is smaller than the path's
// bandwidth-delay product; nil where it was not that.
func windowLimited(v *view.View, cause finding.Cause, share float64) *finding.Finding {
	if !v.Slow() || v.Enough() || share < view.LimitShare || v.Growing && !v.GrowsBack(share) {
		return nil
	}
	return OfWindow(v, cause, windowConfidence(v, share), v.Shortfall()*share)
}

// AsMuch finds a slow stream that carries as much as a buffer of a host that told holds, no
// more and not much less, though it seemed to grow until then, or lost a packet.
// It is asked where nothing else was found.
func AsMuch(v *view.View) *finding.Finding {
	if !v.Slow() || v.Enough() || v.Alone() {
		return nil
	}
	for _, cause := range []finding.Cause{finding.ReceiveWindow, finding.SendBuffer} {
		limit, known := v.BufferRate(cause)
		if known && limit < v.Capacity/view.GainMatters && v.Rate > limit/asMuch && v.Rate < limit*asMuch {
			return OfWindow(v, cause, asMuchSure, v.Shortfall())
		}
	}
	return nil
}

const (
	// asMuch is how far from what half of a buffer carries a stream may be that it holds:
	// a half to three quarters of one is payload (tcp_win_from_space).
	asMuch = 1.25
	// asMuchSure: a guess, as all that nothing else was found for.
	asMuchSure = 0.7
)

// OfWindow is the finding that a buffer is too small for the path.
func OfWindow(v *view.View, cause finding.Cause, confidence, severity float64) *finding.Finding {
	whose, remedy := "The sender's buffer", largerSendBuffer(v)
	switch {
	case cause == finding.ReceiveWindow && v.Unscaled():
		whose, remedy = "The receiver's window, which has no scaling,", switchedOn(v, v.Run.Near.WindowScaling, finding.ScaleWindows(), scalingHere, scalingThere)
	case cause == finding.ReceiveWindow:
		whose, remedy = "The receiver's window", largerReceiveBuffer(v)
	}
	return &finding.Finding{
		Cause:      cause,
		Confidence: confidence,
		Severity:   severity,
		Summary: fmt.Sprintf("%s lets one stream have only %s in flight; this path needs %s to carry %s.",
			whose, words.Size(v.Limits.InFlight), words.Size(v.BDP()), words.Rate(v.Capacity)),
		Evidence: windowEvidence(v),
		Remedies: []finding.Remedy{remedy},
	}
}

// windowConfidence is how sure a window-limited verdict can be: the kernel's
// own account is nearly certain, an inference from the other end less so.
func windowConfidence(v *view.View, share float64) float64 {
	c := 0.6 + 0.4*share
	if _, busy := v.Others(); busy {
		c = min(c, besideOthersSure)
	}
	if v.Limits.Inferred {
		c -= 0.15
		if v.One.SenderCPU() > view.BusyCPU {
			c -= 0.3 // a sender without a core to run on looks the same
		}
	}
	return c
}

// besideOthersSure is how sure a window is at the most where others have a part of the
// path: in 4 of 5 kept directions like that a larger one gains, in the other one their
// queue drops what it lets pass.
const besideOthersSure = 0.8

func windowEvidence(v *view.View) []finding.Evidence {
	l := v.Limits
	e := slices.Concat(words.RateEvidence(v), []finding.Evidence{
		{What: "round-trip time", Value: v.Idle.Mid, Unit: finding.Seconds},
		{What: "bandwidth-delay product", Value: v.BDP(), Unit: finding.Bytes},
		{What: "in flight (rate × RTT)", Value: l.InFlight, Unit: finding.Bytes},
	})
	if l.Advertised > 0 {
		e = append(e, finding.Evidence{What: "receive window advertised", Value: l.Advertised, Unit: finding.Bytes})
	}
	if !l.Inferred {
		e = append(e, words.LimitEvidence(v)...)
	}
	return append(e, finding.Evidence{What: "retransmits", Value: float64(v.Losses.Resent), Unit: finding.Count})
}

// switchedOn turns an option of TCP on that both hosts must offer: on this one where that
// tells that it does not, in the words here, else on the far one.
func switchedOn(v *view.View, offered bool, action finding.Action, here, there string) finding.Remedy {
	host, what := "near", here
	if offered {
		host, what = "far", there
	}
	where := finding.Sender
	if where.Host(v.Dir) != host {
		where = finding.Receiver
	}
	return finding.Remedy{What: what, Where: where, Host: host}.By(action)
}
