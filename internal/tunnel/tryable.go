//go:build !slim

package tunnel

import (
	"net"
	"net/netip"
	"slices"
)

// tryable are those of a peer's addresses that can be the peer's seen from here: not this
// host's own, and none of a private network where the peer has others. Many hosts have the
// same private addresses, as for their containers.
func tryable(h host, all []netip.AddrPort) []netip.AddrPort {
	own := h.Own()
	var public, private []netip.AddrPort
	for _, c := range all {
		a := c.Addr().Unmap()
		switch {
		case !a.IsGlobalUnicast() || slices.Contains(own, a):
		case isPrivate(a):
			private = append(private, c)
		default:
			public = append(public, c)
		}
	}
	if len(public) > 0 {
		return public
	}
	return private
}

func (system) Own() []netip.Addr {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil // then none is known to be its own
	}
	var own []netip.Addr
	for _, n := range all {
		if p, err := netip.ParsePrefix(n.String()); err == nil {
			own = append(own, p.Addr())
		}
	}
	return own
}
