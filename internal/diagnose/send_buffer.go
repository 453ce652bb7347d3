package diagnose

import "fmt"

// sendBuffer: the sender's own buffer is smaller than the path's
// bandwidth-delay product.
func sendBuffer(v *view) *Finding {
	if v.limits.sndbuf <= v.limits.rwnd {
		return nil
	}
	return v.windowLimited(SendBuffer, "The sender's buffer", v.limits.sndbuf, Remedy{
		What:    "Let the send buffer grow to twice the bandwidth-delay product. Autotuning is bounded by tcp_wmem's third value (net.core.wmem_max bounds only programs that set SO_SNDBUF themselves).",
		Where:   Sender,
		Host:    v.sender(),
		Command: fmt.Sprintf("sysctl -w net.ipv4.tcp_wmem='4096 16384 %d'", v.bufferFor()),
	})
}
