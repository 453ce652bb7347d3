package ends

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// SendBuffer: the sender's own buffer is smaller than the path's
// bandwidth-delay product.
func SendBuffer(v *view.View) *finding.Finding {
	if v.Limits.SendBuffer <= v.Limits.ReceiveWindow {
		return nil
	}
	if v.FillsSendBuffer() {
		f := OfWindow(v, finding.SendBuffer, windowAloneSure, 0.5)
		why := "its kernel waits for it"
		if v.Limits.Inferred {
			why = "no round trip brings more"
		}
		f.Summary = fmt.Sprintf("The sender's buffer lets one stream have only %s in flight, and %s: nothing is lost and no queue stands at %s. Nothing else was measured of this direction, so how much more the path carries is not known.",
			words.Size(v.Rate/8*v.Idle.Mid), why, words.Rate(v.Rate))
		return f
	}
	if _, found := v.AcksQueue(); found && v.Limits.Inferred {
		return nil // the acknowledgements' wait is why both windows have room
	}
	if v.Limits.Inferred && v.GrowsOn() {
		return nil // a buffer that is full keeps a stream at one rate
	}
	return windowLimited(v, finding.SendBuffer, v.Limits.SendBuffer)
}

func largerSendBuffer(v *view.View) finding.Remedy {
	return finding.Remedy{
		What:  "Let the send buffer grow to room for twice the bandwidth-delay product, and as much again for the kernel's bookkeeping. Autotuning is bounded by tcp_wmem's third value (net.core.wmem_max bounds only programs that set SO_SNDBUF themselves).",
		Where: finding.Sender,
		Host:  v.Sender(),
	}.By(finding.RaiseSendBuffer(v.BufferFor()))
}
