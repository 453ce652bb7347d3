package diagnose

import "fmt"

// receiveWindow: the receiver offers a smaller window than the path's
// bandwidth-delay product.
func receiveWindow(v *view) *Finding {
	if v.limits.rwnd < v.limits.sndbuf {
		return nil
	}
	return v.windowLimited(ReceiveWindow, "The receiver's window", v.limits.rwnd, Remedy{
		What:    "Let the receive buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_rmem's third value; a program that sets SO_RCVBUF itself is bounded by it instead.",
		Where:   Receiver,
		Host:    v.receiver(),
		Command: fmt.Sprintf("sysctl -w net.ipv4.tcp_rmem='4096 131072 %d'", v.bufferFor()),
	})
}
