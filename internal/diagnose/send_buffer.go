package diagnose

import "unchoke/internal/finding"

// sendBuffer: the sender's own buffer is smaller than the path's
// bandwidth-delay product.
func sendBuffer(v *view) *finding.Finding {
	if v.limits.SendBuffer <= v.limits.ReceiveWindow {
		return nil
	}
	return v.windowLimited(finding.SendBuffer, v.limits.SendBuffer)
}

func (v *view) largerSendBuffer() finding.Remedy {
	return finding.Remedy{
		What:  "Let the send buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_wmem's third value (net.core.wmem_max bounds only programs that set SO_SNDBUF themselves).",
		Where: finding.Sender,
		Host:  v.sender(),
	}.By(finding.RaiseSendBuffer(v.bufferFor()))
}
