package link

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// AddGRE makes a GRE tunnel, over IPv4 or IPv6 as the outer addresses are, that
// takes packets of at most so many segments. Left to itself the kernel gives one
// over IPv6 an MTU of 1280 also where less would fit.
func AddGRE(name string, local, remote netip.Addr, mtu, segments int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.GSOMaxSegs = name, mtu, uint32(segments)
	gre := &netlink.Gretun{
		LinkAttrs: attrs,
		Local:     local.AsSlice(),
		Remote:    remote.AsSlice(),
		PMtuDisc:  1,
		Ttl:       64, // the kernel's default for packets of its own
	}
	if err := netlink.LinkAdd(gre); err != nil {
		return fmt.Errorf("add tunnel %s from %v to %v: %w", name, local, remote, err)
	}
	return nil
}

// WireGuard is one end of a tunnel with one peer.
type WireGuard struct {
	Name       string
	MTU        int
	Segments   int // that a packet has at most
	Key        wgtypes.Key
	ListenPort int
	Peer       wgtypes.Key // public
	Endpoint   netip.AddrPort
	Allowed    []netip.Addr // inner addresses of the peer
}

// Add makes the device.
func (w WireGuard) Add() error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.GSOMaxSegs = w.Name, w.MTU, uint32(w.Segments)
	if err := netlink.LinkAdd(&netlink.Wireguard{LinkAttrs: attrs}); err != nil {
		return fmt.Errorf("add wireguard %s: %w", w.Name, err)
	}
	client, err := wgctrl.New()
	if err != nil {
		return fmt.Errorf("open wireguard's control: %w", err)
	}
	defer client.Close()
	peer := wgtypes.PeerConfig{PublicKey: w.Peer, Endpoint: net.UDPAddrFromAddrPort(w.Endpoint)}
	for _, a := range w.Allowed {
		peer.AllowedIPs = append(peer.AllowedIPs, *ipNet(netip.PrefixFrom(a, a.BitLen())))
	}
	err = client.ConfigureDevice(w.Name, wgtypes.Config{
		PrivateKey: &w.Key,
		ListenPort: &w.ListenPort,
		Peers:      []wgtypes.PeerConfig{peer},
	})
	if err != nil {
		return fmt.Errorf("configure wireguard %s: %w", w.Name, err)
	}
	return nil
}

// Find returns the index of a device.
func Find(name string) (int, error) {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return 0, fmt.Errorf("find device %s: %w", name, err)
	}
	return l.Attrs().Index, nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
