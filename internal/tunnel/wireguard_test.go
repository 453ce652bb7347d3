package tunnel

import (
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/record"
)

var shookHands = time.Date(2025, 11, 20, 10, 0, 0, 0, time.UTC)

// twoPeers is a device with a peer for all addresses that never spoke, and one
// with addresses of its own.
func twoPeers() wireguardDevice {
	allowed := func(all ...string) (out []netip.Prefix) {
		for _, p := range all {
			out = append(out, netip.MustParsePrefix(p))
		}
		return out
	}
	return wireguardDevice{carrier: record.Kernel, peers: []wireguardPeer{
		{key: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", allowed: allowed("0.0.0.0/0")},
		{
			key: "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", allowed: allowed("10.0.1.2/32", "fd00:1::/64"),
			endpoint: "192.0.2.8:51820", handshake: shookHands,
		},
	}}
}

func TestWireguard(t *testing.T) {
	dev := twoPeers()
	for _, address := range []string{"10.0.1.2", "fd00:1::7"} {
		got := wireguardState(dev, to("", address))
		if got.via != record.Direct || got.endpoint != "192.0.2.8:51820" || got.carrier != record.Kernel || !got.handshake.Equal(shookHands) {
			t.Errorf("to %s: %+v", address, got)
		}
	}
	if got := wireguardState(dev, to("", "10.0.1.3")); got.via != record.Idle || got.endpoint != "" {
		t.Errorf("a peer that never spoke: %+v", got)
	}
	dev.carrier = record.Userspace
	if got := wireguardState(dev, to("", "fd00:2::1")); len(got.unknown) != 1 || got.carrier != record.Userspace {
		t.Errorf("nobody's address: %+v", got)
	}
}

// A peer's one address that stands alone is its own; in a network it may be others'.
func TestWireguardPosition(t *testing.T) {
	for want, all := range map[record.Position][][]string{ // an address, and what its peer takes
		record.AtPeer: {{"10.0.1.2", "10.0.1.2/32", "fd00:1::2/128"}, {"fd00:1::2", "10.0.1.2/32", "fd00:1::2/128"}, {"10.0.1.2", "10.0.1.2/32", "192.168.0.0/16"}},
		record.Behind: {{"192.168.1.7", "10.0.1.2/32", "192.168.0.0/16"}, {"10.0.1.3", "10.0.1.1/32", "10.0.1.0/24"}},
		record.PerhapsBehind: {
			{"10.0.1.2", "0.0.0.0/0"},
			{"fd00:1::7", "10.0.1.2/32", "fd00:1::/64"},
			{"10.0.1.5", "10.0.1.2/32", "10.0.1.5/32"},
		},
	} {
		for _, c := range all {
			var p wireguardPeer
			for _, prefix := range c[1:] {
				p.allowed = append(p.allowed, netip.MustParsePrefix(prefix))
			}
			dev := wireguardDevice{peers: []wireguardPeer{p}}
			if got := wireguardState(dev, to("", c[0])).target; got != want {
				t.Errorf("%s of %v: %s, want %s", c[0], c[1:], got, want)
			}
		}
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
