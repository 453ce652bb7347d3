//go:build !slim

package tunnel

import (
	"net"
	"net/netip"
	"reflect"
	"testing"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// What wgctrl tells of a device is read whole.
func TestWireguardControlled(t *testing.T) {
	network := func(s string) net.IPNet {
		p := netip.MustParsePrefix(s)
		return net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
	}
	got := controlled(&wgtypes.Device{Name: "wg0", Type: wgtypes.LinuxKernel, Peers: []wgtypes.Peer{
		{PublicKey: wgtypes.Key{1}, AllowedIPs: []net.IPNet{network("0.0.0.0/0")}},
		{
			PublicKey: wgtypes.Key{2}, AllowedIPs: []net.IPNet{network("10.0.1.2/32"), network("fd00:1::/64")},
			Endpoint: net.UDPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.8:51820")), LastHandshakeTime: shookHands,
		},
	}})
	if want := twoPeers(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
