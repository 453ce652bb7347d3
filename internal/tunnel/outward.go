package tunnel

import (
	"net/netip"

	"unchoke/internal/record"
)

// otherTransport is that of packets which another program of this host carries.
const otherTransport = "other"

// outward takes the way out of an answer whose endpoint is this host itself:
// another program (wstunnel, udp2raw, stunnel) takes the packets there, and how
// they go on is its own affair.
func outward(s state, own func(netip.Addr) bool) state {
	end, err := netip.ParseAddrPort(s.endpoint)
	if err != nil || s.via != record.Direct || !end.Addr().IsLoopback() && !own(end.Addr().Unmap()) {
		return s
	}
	s.via, s.transport = "", otherTransport
	s.unknown = append(s.unknown, "the way of the outer packets: another program on this host carries them, from "+s.endpoint)
	return s
}
