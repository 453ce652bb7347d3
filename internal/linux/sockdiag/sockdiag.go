// Package sockdiag asks the kernel about the TCP connections of all programs,
// in the calling thread's network namespace.
package sockdiag

import (
	"net/netip"

	"unchoke/tcpinfo"
)

// Connection is an established TCP connection of this host, one end of it.
type Connection struct {
	Local, Remote netip.AddrPort
	// CC is the congestion control that it runs; empty where the kernel does
	// not tell.
	CC string
	// UID is the user who made its socket.
	UID uint32
	// Info is its state, where it was asked for and the kernel told.
	Info *tcpinfo.Info
}
