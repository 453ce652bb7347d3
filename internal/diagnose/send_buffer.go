package diagnose

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
)

// sendBuffer: the sender's own buffer is smaller than the path's
// bandwidth-delay product.
func sendBuffer(v *view) *finding.Finding {
	if v.limits.SendBuffer <= v.limits.ReceiveWindow {
		return nil
	}
	if v.fillsSendBuffer() {
		f := v.ofWindow(finding.SendBuffer, windowAloneSure, 0.5)
		why := "its kernel waits for it"
		if v.limits.inferred {
			why = "that is what Linux's default of 4 MiB holds"
		}
		f.Summary = fmt.Sprintf("The sender's buffer lets one stream have only %s in flight, and %s: nothing is lost and no queue stands at %s. Nothing else was measured of this direction, so how much more the path carries is not known.",
			size(v.rate/8*v.idle.Mid), why, rate(v.rate))
		return f
	}
	return v.windowLimited(finding.SendBuffer, v.limits.SendBuffer)
}

// fillsSendBuffer says, of a stream that is all that was measured of its direction,
// that it meets nothing of the path: it loses nothing, fills no queue and speeds up no
// more, and that its kernel counts most of the time as its buffer's. Where the kernel
// does not tell, what is under way must be what Linux's default buffer holds.
func (v *view) fillsSendBuffer() bool {
	if !v.alone() || v.losses.Resent != 0 || v.queued() || v.growing || v.limits.SendBuffer <= 0.5 {
		return false
	}
	held := v.rate / 8 * v.idle.Mid
	return !v.limits.inferred || math.Abs(held-usualSendBuffer/2) < aboutUsual*usualSendBuffer/2
}

const (
	// usualSendBuffer is Linux's default of tcp_wmem's third value in bytes (tcp_init),
	// of which about half is payload.
	usualSendBuffer = 4 << 20
	// aboutUsual: two such streams by satellite had 0.97 and 1.01 of that half.
	aboutUsual = 0.1
)

func (v *view) largerSendBuffer() finding.Remedy {
	return finding.Remedy{
		What:  "Let the send buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_wmem's third value (net.core.wmem_max bounds only programs that set SO_SNDBUF themselves).",
		Where: finding.Sender,
		Host:  v.sender(),
	}.By(finding.RaiseSendBuffer(v.bufferFor()))
}
