package tunnel

import (
	"context"
	"fmt"
	"net/netip"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"unchoke/internal/record"
)

// wireguardState reads a device's configuration for the peer that packets to an
// address go to. WireGuard knows no relays.
func wireguardState(dev *wgtypes.Device, q query) state {
	s := state{program: "wireguard", nearTCP: record.Kernel}
	switch dev.Type {
	case wgtypes.LinuxKernel, wgtypes.OpenBSDKernel, wgtypes.FreeBSDKernel, wgtypes.WindowsKernel:
		s.carrier = record.Kernel
	case wgtypes.Userspace:
		s.carrier = record.Userspace
	}
	var found nearest[*wgtypes.Peer]
	for i := range dev.Peers {
		for _, n := range dev.Peers[i].AllowedIPs {
			address, ok := netip.AddrFromSlice(n.IP)
			bits, _ := n.Mask.Size()
			if ok {
				found.offer(netip.PrefixFrom(address.Unmap(), bits), q.address, &dev.Peers[i])
			}
		}
	}
	p := found.peer
	if p == nil {
		s.unknown = append(s.unknown, fmt.Sprintf("no peer of %s takes packets to %s", dev.Name, q.address))
		return s
	}
	s.peer, s.handshake, s.via = p.PublicKey.String(), p.LastHandshakeTime, record.Idle
	if p.Endpoint != nil {
		s.via, s.endpoint = record.Direct, p.Endpoint.String()
	}
	return s
}

func askWireguard(_ context.Context, h host, q query) (state, error) {
	dev, err := h.WireGuard(q.device.Name)
	if err != nil {
		return state{}, fmt.Errorf("read wireguard %s: %w", q.device.Name, err)
	}
	return wireguardState(dev, q), nil
}
