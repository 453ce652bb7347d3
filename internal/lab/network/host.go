package network

import (
	"net"
	"net/netip"

	"unchoke/internal/path"
)

// identity is what a host is known by. The same every time, so that runs can
// be compared byte by byte.
type identity struct {
	name  string
	mac   net.HardwareAddr
	outer addresses // of the network card
	inner addresses // of the tunnel, where there is one
}

// addresses are one of each family, with the networks they are in.
type addresses struct{ v4, v6 netip.Prefix }

func (a addresses) all() []netip.Prefix {
	if !a.v6.IsValid() {
		return []netip.Prefix{a.v4}
	}
	return []netip.Prefix{a.v4, a.v6}
}

func (a addresses) addrs() []netip.Addr {
	var out []netip.Addr
	for _, p := range a.all() {
		out = append(out, p.Addr())
	}
	return out
}

var (
	near = identity{
		name:  "near",
		mac:   net.HardwareAddr{0x02, 0, 0, 0, 0, 0x01},
		outer: addresses{netip.MustParsePrefix("10.0.0.1/24"), netip.MustParsePrefix("fd00::1/64")},
		inner: addresses{netip.MustParsePrefix("10.0.1.1/24"), netip.MustParsePrefix("fd00:1::1/64")},
	}
	far = identity{
		name:  "far",
		mac:   net.HardwareAddr{0x02, 0, 0, 0, 0, 0x02},
		outer: addresses{netip.MustParsePrefix("10.0.0.2/24"), netip.MustParsePrefix("fd00::2/64")},
		inner: addresses{netip.MustParsePrefix("10.0.1.2/24"), netip.MustParsePrefix("fd00:1::2/64")},
	}
)

// The hosts of other traffic have no names, tunnels or IPv6, and near and far
// do not know their hardware addresses.
var (
	cross = identity{
		name:  "cross",
		mac:   net.HardwareAddr{0x02, 0, 0, 0, 0, 0x03},
		outer: addresses{v4: netip.MustParsePrefix("10.0.0.3/24")},
	}
	crossFar = identity{
		name:  "cross-far",
		mac:   net.HardwareAddr{0x02, 0, 0, 0, 0, 0x04},
		outer: addresses{v4: netip.MustParsePrefix("10.0.0.4/24")},
	}
)

// hostEntries is the hosts file of a network.
func hostEntries(near, far identity, tunnel path.Tunnel) []Entry {
	nearAddrs, farAddrs := near.outer, far.outer
	if tunnel != "" {
		nearAddrs, farAddrs = near.inner, far.inner
	}
	var entries []Entry
	for _, e := range []struct {
		name  string
		addrs addresses
	}{{"near", nearAddrs}, {"far", farAddrs}, {"far.underlay", far.outer}} {
		for _, p := range e.addrs.all() {
			entries = append(entries, Entry{e.name, p.Addr()})
		}
	}
	return entries
}
