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
