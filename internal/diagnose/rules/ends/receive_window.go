package ends

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// ReceiveWindow: the receiver offers a smaller window than the path's
// bandwidth-delay product.
func ReceiveWindow(v *view.View) *finding.Finding {
	if v.Limits.ReceiveWindow < v.Limits.SendBuffer || max(v.Limits.Advertised, v.Limits.Offered) > windowEnough*v.BDP() {
		return nil
	}
	if v.FillsWindow() {
		f := OfWindow(v, finding.ReceiveWindow, windowAloneSure, 0.5)
		f.Summary = fmt.Sprintf("The receiver's window lets one stream have only %s in flight, and it is full: nothing is lost and no queue stands at %s. Nothing else was measured of this direction, so how much more the path carries is not known.",
			words.Size(v.Limits.InFlight), words.Rate(v.Rate))
		return f
	}
	return windowLimited(v, finding.ReceiveWindow, v.Limits.ReceiveWindow)
}

// windowEnough of the bandwidth-delay product, announced, hold what is under way and
// what came beside a loss, until that is repaired: a sender that waits for such a
// window met losses.
const windowEnough = 2

// windowAloneSure: what the path carries was not asked.
const windowAloneSure = 0.75

// What to do where there is no window scaling, by the host that has it off.
const (
	scalingHere  = "Turn window scaling on: it is off on this host, so that no window exceeds 64 KiB, however large the buffers are. It acts on new connections."
	scalingThere = "Turn window scaling on at the far host, or find the firewall that takes the option away: this host offers it, and without it no window exceeds 64 KiB, however large the buffers are. It acts on new connections."
)

func largerReceiveBuffer(v *view.View) finding.Remedy {
	if h := v.Run.Receiver(v.Dir); h != nil && h.FixedReceiveBuffer() {
		return finding.Remedy{
			What:  "Turn autotuning on: it is off on the host that receives, so that a receive buffer keeps tcp_rmem's second value. It acts on new connections.",
			Where: finding.Receiver, Host: v.Receiver(),
		}.By(finding.TuneReceiveBuffers())
	}
	return finding.Remedy{
		What:  "Let the receive buffer grow to room for twice the bandwidth-delay product, and as much again for the kernel's bookkeeping. Autotuning is bounded by tcp_rmem's third value; a program that sets SO_RCVBUF itself is bounded by it instead.",
		Where: finding.Receiver,
		Host:  v.Receiver(),
	}.By(finding.RaiseReceiveBuffer(v.BufferFor()))
}
