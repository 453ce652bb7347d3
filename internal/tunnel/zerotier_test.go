package tunnel

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"unchoke/internal/record"
)

func TestZerotier(t *testing.T) {
	for _, name := range versions(t, "zerotier-*-peerToJson.json") {
		b := fixture(t, name)
		for node, want := range map[string]state{
			"a1b2c3d4e5": {via: record.Direct, endpoint: "192.0.2.8:9993"},
			"b1b2c3d4e5": {via: record.Relayed, relay: record.Relay{Name: zerotierRoots, RTT: 0.18}},
			"0123456789": {via: record.Idle},
			"c1b2c3d4e5": {via: record.Relayed, relay: record.Relay{Name: "TCP relay", Transport: "tcp", RTT: 0.09}},
		} {
			if node[0] == 'c' && strings.Contains(name, "1.4.6") {
				continue // that version does not tell
			}
			got, err := parseZerotierPeers(b, node)
			if err != nil || got.via != want.via || got.endpoint != want.endpoint || got.relay != want.relay {
				t.Errorf("%s: %s: %+v, %v, want %+v", name, node, got, err, want)
			}
		}
		cut(t, name, b, func(b []byte) error { _, err := parseZerotierPeers(b, "a1b2c3d4e5"); return err })
	}
	for _, name := range versions(t, "zerotier-*-networkToJson.json") {
		b := fixture(t, name)
		if id, err := parseZerotierNetworks(b, "ztabcd1234"); err != nil || id != 0x8056c2e21c000001 {
			t.Errorf("%s: %x, %v", name, id, err)
		}
		if _, err := parseZerotierNetworks(b, "zt0"); err == nil {
			t.Errorf("%s: a device that it has not was found", name)
		}
	}
}

// The TCP relay is the node's: it takes packets to global IPv4 addresses, and to
// the roots. A bond that sends on all paths prefers none.
func TestZerotierPath(t *testing.T) {
	for peer, want := range map[string]state{
		`"tunneled": true, "paths": [{"address": "203.0.113.9/9993", "active": true, "preferred": true}]`: {via: record.Relayed, relay: record.Relay{Name: "TCP relay", Transport: "tcp"}},
		`"tunneled": true, "paths": [{"address": "192.168.1.9/9993", "active": true, "preferred": true}]`: {via: record.Direct, endpoint: "192.168.1.9:9993"},
		`"tunneled": true, "paths": [{"address": "100.64.1.9/9993", "active": true, "preferred": true}]`:  {via: record.Direct, endpoint: "100.64.1.9:9993"},
		`"tunneled": true, "paths": [{"address": "2001:db8::9/9993", "active": true, "preferred": true}]`: {via: record.Direct, endpoint: "[2001:db8::9]:9993"},
		`"tunneled": true, "paths": []`: {via: record.Relayed, relay: record.Relay{Name: zerotierRoots, Transport: "tcp"}},
		`"isBonded": true, "paths": [{"address": "203.0.113.8/9993"}, {"address": "203.0.113.9/9993", "active": true}]`:                                    {via: record.Direct, endpoint: "203.0.113.9:9993"},
		`"isBonded": true, "paths": [{"address": "203.0.113.8/9993", "active": true}, {"address": "203.0.113.9/9993", "active": true, "preferred": true}]`: {via: record.Direct, endpoint: "203.0.113.9:9993"},
		`"paths": [{"address": "203.0.113.9/9993", "active": true}]`:                                                                                       {via: record.Relayed, relay: record.Relay{Name: zerotierRoots}},
	} {
		got, err := parseZerotierPeers([]byte(`[{"address": "a1b2c3d4e5", `+peer+`}]`), "a1b2c3d4e5")
		if err != nil || got.via != want.via || got.endpoint != want.endpoint || got.relay != want.relay {
			t.Errorf("%s: %+v, %v, want %+v", peer, got, err, want)
		}
	}
}

// The MAC of a node on a network, by node/MAC.hpp's fromAddress worked by hand:
// 0x02, then the address with bytes 00 00 1c e2 c2 of the network's ID over it.
func TestZerotierNode(t *testing.T) {
	mac, err := net.ParseMAC("02:a1:b2:df:36:27")
	if err != nil {
		t.Fatal(err)
	}
	if got := zerotierNode(mac, 0x8056c2e21c000001); got != "a1b2c3d4e5" {
		t.Errorf("node %s", got)
	}
}

func TestARP(t *testing.T) {
	const table = "IP address       HW type     Flags       HW address            Mask     Device\n" +
		"10.147.17.2      0x1         0x2         02:a1:b2:df:36:27     *        ztabcd1234\n" +
		"10.147.17.3      0x1         0x0         00:00:00:00:00:00     *        ztabcd1234\n"
	mac, err := parseARP([]byte(table), netip.MustParseAddr("10.147.17.2"), "ztabcd1234")
	if err != nil || mac.String() != "02:a1:b2:df:36:27" {
		t.Errorf("%v, %v", mac, err)
	}
	for address, device := range map[string]string{"10.147.17.3": "ztabcd1234", "10.147.17.2": "eth0", "10.147.17.4": "ztabcd1234"} {
		if mac, err := parseARP([]byte(table), netip.MustParseAddr(address), device); err == nil {
			t.Errorf("%s on %s: %v", address, device, mac)
		}
	}
	if _, err := parseARP([]byte("10.0.0.1 0x1 0x2 nonsense * eth0\n"), netip.MustParseAddr("10.0.0.1"), "eth0"); err == nil {
		t.Error("a MAC that is none was accepted")
	}
}

func FuzzZerotier(f *testing.F) {
	for _, name := range versions(f, "zerotier-*.json") {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		parseZerotierPeers(b, "a1b2c3d4e5")
		parseZerotierNetworks(b, "ztabcd1234")
		parseARP(b, netip.MustParseAddr("10.147.17.2"), "ztabcd1234")
	})
}
