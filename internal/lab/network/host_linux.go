package network

import (
	"fmt"

	"unchoke/internal/linux/link"
	"unchoke/internal/linux/qdisc"
)

// nic is the name of a host's network card.
const nic = "eth0"

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
	if _, err := link.Up("lo"); err != nil {
		return err
	}
	dev, err := link.Up(nic)
	if err != nil {
		return err
	}
	if err := qdisc.Replace(dev, qdisc.Root, 0, qdisc.FQCodel{}); err != nil {
		return fmt.Errorf("add fq_codel on %s: %w", nic, err)
	}
	for _, p := range self.outer.all() {
		if err := link.AddAddress(dev, p); err != nil {
			return err
		}
	}
	for _, p := range peer.outer.all() {
		if err := link.AddNeighbour(dev, p.Addr(), peer.mac); err != nil {
			return err
		}
	}
	return nil
}
