package diagnose

import (
	"fmt"

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
		f.Summary = fmt.Sprintf("The sender's buffer lets one stream have only %s in flight, and its kernel waits for it: nothing is lost and no queue stands at %s. Nothing else was measured of this direction, so how much more the path carries is not known.",
			size(v.limits.window), rate(v.rate))
		return f
	}
	return v.windowLimited(finding.SendBuffer, v.limits.SendBuffer)
}

// fillsSendBuffer says, of a stream that is all that was measured of its direction,
// that its kernel counts most of the time as its buffer's and that it meets nothing of
// the path: it loses nothing, fills no queue and speeds up no more.
func (v *view) fillsSendBuffer() bool {
	return v.alone() && v.losses.Resent == 0 && !v.queued() && !v.growing &&
		!v.limits.inferred && v.limits.SendBuffer > 0.5
}

func (v *view) largerSendBuffer() finding.Remedy {
	return finding.Remedy{
		What:  "Let the send buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_wmem's third value (net.core.wmem_max bounds only programs that set SO_SNDBUF themselves).",
		Where: finding.Sender,
		Host:  v.sender(),
	}.By(finding.RaiseSendBuffer(v.bufferFor()))
}
