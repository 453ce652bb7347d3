package tunnel

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/record"
)

// wireguardDevice is what is read of a device's configuration: no keys but the
// peers' public ones.
type wireguardDevice struct {
	carrier record.Place // empty where it is not known
	peers   []wireguardPeer
}

type wireguardPeer struct {
	key       string // public
	endpoint  string // empty where it never spoke
	handshake time.Time
	allowed   []netip.Prefix
}

// wireguardState reads a device's configuration for the peer that packets to an
// address go to. WireGuard knows no relays.
func wireguardState(dev wireguardDevice, q query) state {
	s := state{program: "wireguard", nearTCP: record.Kernel, carrier: dev.carrier}
	var found nearest[*wireguardPeer]
	for i := range dev.peers {
		for _, p := range dev.peers[i].allowed {
			found.offer(p, q.address, &dev.peers[i])
		}
	}
	p := found.peer
	if p == nil {
		s.unknown = append(s.unknown, fmt.Sprintf("no peer of %s takes packets to %s", q.device.Name, q.address))
		return s
	}
	s.peer, s.handshake, s.via = p.key, p.handshake, record.Idle
	s.target = p.position(q.address, found.bits > q.address.BitLen())
	if p.endpoint != "" {
		s.via, s.endpoint = record.Direct, p.endpoint
	}
	return s
}

// position is where an address that the peer takes, alone or in a network, is beside it.
// The one that stands alone is most often the peer's own; where there is such a one, those
// of a network are others'. Of several, or of a network only, any may be the peer's.
func (p wireguardPeer) position(a netip.Addr, alone bool) record.Position {
	n := 0
	for _, prefix := range p.allowed {
		if prefix.Addr().BitLen() == a.BitLen() && prefix.Bits() == a.BitLen() {
			n++
		}
	}
	switch {
	case alone && n == 1:
		return record.AtPeer
	case !alone && n > 0:
		return record.Behind
	}
	return record.PerhapsBehind
}

func askWireguard(ctx context.Context, h host, q query) (state, error) {
	dev, err := h.WireGuard(ctx, q.device.Name)
	if err != nil {
		return state{}, fmt.Errorf("read wireguard %s: %w", q.device.Name, err)
	}
	return wireguardState(dev, q), nil
}
