//go:build !slim

package tunnel

import (
	"context"
	"net/netip"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"unchoke/internal/record"
)

func (system) WireGuard(_ context.Context, name string) (wireguardDevice, error) {
	client, err := wgctrl.New()
	if err != nil {
		return wireguardDevice{}, why(err)
	}
	defer client.Close()
	dev, err := client.Device(name)
	if err != nil {
		return wireguardDevice{}, why(err)
	}
	return controlled(dev), nil
}

// controlled is a device as wgctrl tells of it.
func controlled(dev *wgtypes.Device) wireguardDevice {
	var out wireguardDevice
	switch dev.Type {
	case wgtypes.LinuxKernel, wgtypes.OpenBSDKernel, wgtypes.FreeBSDKernel, wgtypes.WindowsKernel:
		out.carrier = record.Kernel
	case wgtypes.Userspace:
		out.carrier = record.Userspace
	}
	for _, p := range dev.Peers {
		peer := wireguardPeer{key: p.PublicKey.String(), handshake: p.LastHandshakeTime}
		if p.Endpoint != nil {
			peer.endpoint = p.Endpoint.String()
		}
		for _, n := range p.AllowedIPs {
			bits, _ := n.Mask.Size()
			if address, ok := netip.AddrFromSlice(n.IP); ok {
				peer.allowed = append(peer.allowed, netip.PrefixFrom(address.Unmap(), bits))
			}
		}
		out.peers = append(out.peers, peer)
	}
	return out
}
