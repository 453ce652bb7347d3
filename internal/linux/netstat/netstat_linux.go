package netstat

import "os"

// TCPExt reads the group TcpExt of the calling process's network namespace.
// It is empty where /proc does not tell.
func TCPExt() Counters {
	text, err := os.ReadFile("/proc/net/netstat")
	if err != nil {
		return Counters{}
	}
	return parse(string(text), "TcpExt")
}

// UDP reads the group Udp, and that of IPv6 under the same names, of the
// calling process's network namespace. It is empty where /proc does not tell.
func UDP() Counters {
	text, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return Counters{}
	}
	out := parse(string(text), "Udp")
	if text, err := os.ReadFile("/proc/net/snmp6"); err == nil { // else a host without IPv6
		for name, v := range parseLines(string(text), "Udp6") {
			out[name] += v
		}
	}
	return out
}
