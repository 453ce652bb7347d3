package tunnel

import "net/netip"

// nearest keeps the peer with the longest prefix around an address: the one
// that a packet to it goes to.
type nearest[T any] struct {
	peer T
	bits int // one more than the prefix has; 0 while there is none
}

// offer is told of a prefix that a peer takes. A default route has no bits and
// still beats no route at all.
func (n *nearest[T]) offer(prefix netip.Prefix, address netip.Addr, peer T) {
	if bits := prefix.Bits() + 1; prefix.Contains(address) && bits > n.bits {
		n.peer, n.bits = peer, bits
	}
}

// single is the prefix that holds one address only.
func single(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }
