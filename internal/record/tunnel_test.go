package record

import (
	"slices"
	"testing"
)

func TestDuring(t *testing.T) {
	tunnel := Tunnel{Ways: []Way{
		{From: 0, To: 1, Via: Idle},
		{From: 2, To: 5, Via: Relayed, Relay: "nyc"},
		{From: 6, To: 9, Via: Direct, Endpoint: "192.0.2.7:41641"},
	}}
	for _, c := range []struct {
		from, to float64
		want     []Via
	}{
		{0, 1.5, nil},
		{0, 3, []Via{Relayed}},
		{3, 4, []Via{Relayed}},
		{5.2, 5.8, []Via{Relayed}}, // an answer holds until the next one
		{4, 8, []Via{Relayed, Direct}},
		{20, 30, []Via{Direct}},
	} {
		var got []Via
		for _, w := range tunnel.During(c.from, c.to) {
			got = append(got, w.Via)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
	if !(Way{From: 1, Via: Direct}).Same(Way{To: 9, Via: Direct}) || (Way{Via: Direct}).Same(Way{Via: Relayed}) {
		t.Error("ways are compared by more or less than the path")
	}
}

func TestVia(t *testing.T) {
	tunnel := Tunnel{Ways: []Way{{Via: Relayed}, {Via: PeerRelay}, {Via: Idle}}}
	if got := tunnel.Via(); got != PeerRelay {
		t.Errorf("the last way is %q", got)
	}
	if got := (Tunnel{Ways: []Way{{Via: Idle}}}).Via(); got != "" {
		t.Errorf("no way was used, and yet %q", got)
	}
}

// OpenVPN goes in UDP unless its transport is another.
func TestOverUDP(t *testing.T) {
	for _, c := range []struct {
		tunnel Tunnel
		want   bool
	}{
		{Tunnel{Kind: "openvpn"}, true},
		{Tunnel{Kind: "openvpn", Transport: "udp"}, true},
		{Tunnel{Kind: "openvpn", Transport: "tcp"}, false},
		{Tunnel{Kind: "wireguard"}, true},
		{Tunnel{Kind: "wireguard", Transport: "other"}, false},
		{Tunnel{Kind: "tailscale", Relayed: true}, false},
		{Tunnel{Kind: "gre"}, false},
	} {
		if got := c.tunnel.OverUDP(); got != c.want {
			t.Errorf("%+v: %v", c.tunnel, got)
		}
	}
}
