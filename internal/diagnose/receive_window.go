package diagnose

import "unchoke/internal/finding"

// receiveWindow: the receiver offers a smaller window than the path's
// bandwidth-delay product.
func receiveWindow(v *view) *finding.Finding {
	if v.limits.ReceiveWindow < v.limits.SendBuffer {
		return nil
	}
	return v.windowLimited(finding.ReceiveWindow, v.limits.ReceiveWindow)
}

func (v *view) largerReceiveBuffer() finding.Remedy {
	return finding.Remedy{
		What:  "Let the receive buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_rmem's third value; a program that sets SO_RCVBUF itself is bounded by it instead.",
		Where: finding.Receiver,
		Host:  v.receiver(),
	}.By(finding.RaiseReceiveBuffer(v.bufferFor()))
}
