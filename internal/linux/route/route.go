// Package route asks the kernel by which way it would send to an address.
package route

import "net/netip"

// Route is the way to one address.
type Route struct {
	Type    uint8 // RTN_UNICAST; RTN_LOCAL to an address of this host's own, …, linux/rtnetlink.h
	Source  netip.Addr
	Gateway netip.Addr // invalid where the address is on the link
	Index   int        // of the device
	// MTU is the route's own, configured or learned from the path, in bytes; 0
	// where the device's applies.
	MTU int
	// CC is the congestion control that the route gives its sockets (ip route …
	// congctl); empty where the host's default applies.
	CC string
}
