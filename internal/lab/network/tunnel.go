package network

import (
	"net/netip"

	"unchoke/internal/path"
)

// wireguardOverhead is an outer IPv6 header, UDP's and WireGuard's own: the
// device's default MTU leaves room for either family (drivers/net/wireguard).
const wireguardOverhead = 80

// tunnelMTU is that of the tunnel's devices, in bytes: what its headers leave of
// the hosts' cards.
func tunnelMTU(p path.Path) int {
	if p.Tunnel == path.WireGuard {
		return p.HostMTU() - wireguardOverhead
	}
	return p.HostMTU() - p.Tunnel.Headers()
}

// within are a host's addresses inside the path's tunnel. A device whose MTU is
// below IPv6's smallest can have none of that family.
func within(p path.Path, inner addresses) addresses {
	if tunnelMTU(p) < path.MinMTU {
		inner.v6 = netip.Prefix{}
	}
	return inner
}
