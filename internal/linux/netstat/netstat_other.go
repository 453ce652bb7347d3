//go:build !linux

package netstat

// TCPExt is empty: only Linux has these counters.
func TCPExt() Counters { return Counters{} }

// UDP is empty.
func UDP() Counters { return Counters{} }
