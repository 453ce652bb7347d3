package diagnose

import (
	"fmt"

	"unchoke/internal/finding"
)

// receiveWindow: the receiver offers a smaller window than the path's
// bandwidth-delay product.
func receiveWindow(v *view) *finding.Finding {
	if v.limits.ReceiveWindow < v.limits.SendBuffer || v.limits.advertised > windowEnough*v.bdp() {
		return nil
	}
	if v.fillsWindow() {
		f := v.ofWindow(finding.ReceiveWindow, windowAloneSure, 0.5)
		f.Summary = fmt.Sprintf("The receiver's window lets one stream have only %s in flight, and it is full: nothing is lost and no queue stands at %s. Nothing else was measured of this direction, so how much more the path carries is not known.",
			size(v.limits.window), rate(v.rate))
		return f
	}
	return v.windowLimited(finding.ReceiveWindow, v.limits.ReceiveWindow)
}

// fillsWindow says, of a stream that is all that was measured of its direction, that
// it has the whole receive window under way and meets nothing of the path: it loses
// nothing, fills no queue and speeds up no more. A window that grows with the stream
// is twice what is under way.
func (v *view) fillsWindow() bool {
	l := v.limits
	return v.alone() && v.losses.Resent == 0 && !v.queued() && !v.growing &&
		l.ReceiveWindow >= limitShare && l.advertised > 0 && l.window >= windowWhole*l.advertised
}

// windowEnough of the bandwidth-delay product, announced, hold what is under way and
// what came beside a loss, until that is repaired: a sender that waits for such a
// window met losses.
const windowEnough = 2

// windowAloneSure: what the path carries was not asked.
const windowAloneSure = 0.75

func (v *view) largerReceiveBuffer() finding.Remedy {
	return finding.Remedy{
		What:  "Let the receive buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_rmem's third value; a program that sets SO_RCVBUF itself is bounded by it instead.",
		Where: finding.Receiver,
		Host:  v.receiver(),
	}.By(finding.RaiseReceiveBuffer(v.bufferFor()))
}
