package audit

import (
	"net"
	"net/netip"
	"sort"
)

// maxAddresses is more than a host's neighbours ask of it; a container host may
// have thousands.
const maxAddresses = 64

// addresses are those of this host's devices, as prefixes. None where the system
// does not list them: they serve to tell hosts apart, and no figure rests on
// them.
func addresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	return addressesOf(all)
}

func addressesOf(all []net.Addr) []string {
	sort.SliceStable(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	var out []string
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil || prefix.Addr().IsLoopback() || prefix.Addr().IsLinkLocalUnicast() {
			continue
		}
		out = append(out, prefix.String())
	}
	return out[:min(len(out), maxAddresses)]
}
