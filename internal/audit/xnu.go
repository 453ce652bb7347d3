package audit

import (
	"fmt"

	"unchoke/internal/record"
)

// xnuSettings reads macOS's TCP settings by sysctl (bsd/netinet/tcp_subr.c and
// tcp_cc.c of xnu): CUBIC, unless net.inet.tcp.use_newreno is set; buffers that
// grow from recvspace and sendspace up to autorcvbufmax and autosndbufmax, where
// doautorcvbuf and doautosndbuf are on.
func xnuSettings(h *record.Host, sysctl func(string) (uint32, error)) (warnings []string) {
	read := func(key string) int64 {
		v, err := sysctl(key)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("read sysctl %s: %v", key, err))
		}
		return int64(v)
	}
	h.CC = "cubic"
	if newreno, err := sysctl("net.inet.tcp.use_newreno"); err == nil && newreno != 0 {
		h.CC = "newreno"
	}
	h.SACK = read("net.inet.tcp.sack") != 0
	if rfc1323, err := sysctl("net.inet.tcp.rfc1323"); err == nil { // gone from newer ones, where it is on
		h.WindowScaling, h.Timestamps = rfc1323 != 0, rfc1323 != 0
	}
	h.RmemMax = read("kern.ipc.maxsockbuf")
	h.WmemMax = h.RmemMax
	h.TCPRmem = xnuBuffer(read("net.inet.tcp.recvspace"), read("net.inet.tcp.autorcvbufmax"), read("net.inet.tcp.doautorcvbuf") != 0)
	h.TCPWmem = xnuBuffer(read("net.inet.tcp.sendspace"), read("net.inet.tcp.autosndbufmax"), read("net.inet.tcp.doautosndbuf") != 0)
	h.Autotuning = "disabled"
	if h.TCPRmem[2] > h.TCPRmem[1] {
		h.Autotuning = "normal"
	}
	return warnings
}

// xnuBuffer is a buffer's minimum, default and maximum: the minimum is the
// default there.
func xnuBuffer(space, most int64, grows bool) [3]int64 {
	if !grows || most < space {
		most = space
	}
	return [3]int64{space, space, most}
}
