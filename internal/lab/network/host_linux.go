package network

import (
	"fmt"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/path"
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

// connectHosts configures the hosts' devices as a stock host's would be, save
// for what shapes their egress.
func (n *Network) connectHosts(p path.Path) error {
	type end struct {
		*Host
		peer   identity
		shapes path.SQM
	}
	hosts := []end{{n.Near, n.Far.identity, p.Up.SQM}, {n.Far, n.Near.identity, p.Down.SQM}}
	if n.Cross != nil {
		hosts = append(hosts, end{n.Cross, n.CrossFar.identity, path.SQM{}}, end{n.CrossFar, n.Cross.identity, path.SQM{}})
	}
	for _, h := range hosts {
		if err := h.Do(func() error { return connect(planEgress(p, h.shapes), h.identity, h.peer) }); err != nil {
			return fmt.Errorf("host %s: %w", h.name, err)
		}
	}
	return nil
}

func connect(s shaper, self, peer identity) error {
	requests := []rtnl.Request{
		link.Up(link.Loopback, "lo"),
		link.Up(nicIndex, nic),
	}
	requests = append(requests, egress(s)...)
	for _, p := range self.outer.all() {
		requests = append(requests, link.Address(nicIndex, p))
	}
	for _, p := range peer.outer.all() {
		requests = append(requests, link.Neighbour(nicIndex, p.Addr(), peer.mac))
	}
	return rtnl.Do(requests...)
}

// egress asks for what queues on a host's card. Where there is no class, the
// kernel picks the handle, as it does for tc.
func egress(s shaper) []rtnl.Request {
	on := func(what string) string { return fmt.Sprintf("add %s on %s", what, nic) }
	if s.class == nil {
		return []rtnl.Request{qdisc.ReplaceRequest(on(s.root.Kind()), nicIndex, qdisc.Root, 0, s.root)}
	}
	handle := qdisc.MakeHandle(1, 0)
	class := qdisc.MakeHandle(1, htbClass)
	return []rtnl.Request{
		qdisc.ReplaceRequest(on(s.root.Kind()), nicIndex, qdisc.Root, handle, s.root),
		qdisc.ClassRequest(on("a class of "+s.root.Kind()), nicIndex, handle, class, *s.class),
		qdisc.ReplaceRequest(on(s.leaf.Kind()), nicIndex, class, 0, s.leaf),
	}
}
