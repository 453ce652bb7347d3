package tunnel

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"unchoke/internal/record"
)

func TestWireguard(t *testing.T) {
	handshake := time.Date(2025, 11, 20, 10, 0, 0, 0, time.UTC)
	network := func(s string) net.IPNet {
		p := netip.MustParsePrefix(s)
		return net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
	}
	dev := &wgtypes.Device{Name: "wg0", Type: wgtypes.LinuxKernel, Peers: []wgtypes.Peer{
		{PublicKey: wgtypes.Key{1}, AllowedIPs: []net.IPNet{network("0.0.0.0/0")}},
		{
			PublicKey: wgtypes.Key{2}, AllowedIPs: []net.IPNet{network("10.0.1.2/32"), network("fd00:1::/64")},
			Endpoint: net.UDPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.8:51820")), LastHandshakeTime: handshake,
		},
	}}
	for _, address := range []string{"10.0.1.2", "fd00:1::7"} {
		got := wireguardState(dev, to("", address))
		if got.via != record.Direct || got.endpoint != "192.0.2.8:51820" || got.carrier != record.Kernel || !got.handshake.Equal(handshake) {
			t.Errorf("to %s: %+v", address, got)
		}
	}
	if got := wireguardState(dev, to("", "10.0.1.3")); got.via != record.Idle || got.endpoint != "" {
		t.Errorf("a peer that never spoke: %+v", got)
	}
	dev.Type = wgtypes.Userspace
	if got := wireguardState(dev, to("", "fd00:2::1")); len(got.unknown) != 1 || got.carrier != record.Userspace {
		t.Errorf("nobody's address: %+v", got)
	}
}

func TestDevice(t *testing.T) {
	if got := deviceState("gre", netip.MustParseAddr("192.0.2.8")); got.via != record.Direct || got.endpoint != "192.0.2.8" {
		t.Errorf("%+v", got)
	}
	for _, remote := range []netip.Addr{{}, netip.MustParseAddr("0.0.0.0"), netip.MustParseAddr("239.1.1.1")} {
		if got := deviceState("vxlan", remote); got.via != "" || len(got.unknown) != 1 {
			t.Errorf("%v: %+v", remote, got)
		}
	}
}
