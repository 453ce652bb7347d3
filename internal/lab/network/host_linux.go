package network

import (
	"fmt"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
)

// A host's network card. The kernel wants no device with that index in the
// namespace that makes it, either.
const (
	nic      = "eth0"
	nicIndex = link.Loopback + 1
)

// segments is how many segments TCP hands down in one packet at most: the two
// that BBR sends back to back at any rate (bbr_min_tso_segs in
// net/ipv4/tcp_bbr.c). With more, up to 64 KiB, a writer that no CPU slows down
// has several times its send buffer in flight, in bursts that overflow queues.
const segments = 2

// connectHosts configures both hosts' devices as a stock host's would be.
func (n *Network) connectHosts() error {
	for _, h := range []struct {
		*Host
		peer identity
	}{{n.Near, n.Far.identity}, {n.Far, n.Near.identity}} {
		if err := h.Do(func() error { return connect(h.identity, h.peer) }); err != nil {
			return fmt.Errorf("host %s: %w", h.name, err)
		}
	}
	return nil
}

func connect(self, peer identity) error {
	requests := []rtnl.Request{
		link.Up(link.Loopback, "lo"),
		link.Up(nicIndex, nic),
		qdisc.ReplaceRequest("add fq_codel on "+nic, nicIndex, qdisc.Root, 0, qdisc.FQCodel{}),
	}
	for _, p := range self.outer.all() {
		requests = append(requests, link.Address(nicIndex, p))
	}
	for _, p := range peer.outer.all() {
		requests = append(requests, link.Neighbour(nicIndex, p.Addr(), peer.mac))
	}
	return rtnl.Do(requests...)
}
