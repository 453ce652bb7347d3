package check

import (
	"strings"
	"testing"

	"unchoke/internal/record"
)

func TestTunnelLine(t *testing.T) {
	for want, tunnel := range map[string]record.Tunnel{
		"": {Kind: "none"},
		"to far; directly at 192.0.2.7:41641; says tailscaled 1.90.9; outside by eth0, MTU 1500, RTT 30.0 ms": {
			Kind: "tailscale", Peer: "far", Endpoint: "192.0.2.7:41641", Program: "tailscaled 1.90.9",
			Underlay: &record.Underlay{Device: "eth0", MTU: 1500, RTT: 0.03},
		},
		"behind hub; directly at 192.0.2.7:41641": {Kind: "tailscale", Peer: "hub", Target: record.Behind, Endpoint: "192.0.2.7:41641"},
		"to far; by peer relay 203.0.113.7:40000; outside by eth0, MTU 1500": {
			Kind: "tailscale", Peer: "far", Endpoint: "203.0.113.7:40000", Underlay: &record.Underlay{Device: "eth0", MTU: 1500},
			Ways: []record.Way{{Via: record.Direct, Endpoint: "192.0.2.7:41641"}, {Via: record.PeerRelay, Endpoint: "203.0.113.7:40000"}, {Via: record.Idle}},
		},
		"to far; by relay nyc over TCP": {
			Kind: "tailscale", Peer: "far", Endpoint: "192.0.2.7:41641", Relayed: true, Relay: &record.Relay{Name: "nyc", Transport: "tcp"},
		},
		"by the relay at 198.51.100.8:443": {Kind: "netbird", Relayed: true, Relay: &record.Relay{Address: "198.51.100.8:443"}},
	} {
		var c Report
		c.Path.Tunnel = tunnel
		if got := c.tunnelLine(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTunnelNotes(t *testing.T) {
	var c Report
	c.Path.Tunnel = record.Tunnel{
		Kind: "tailscale", FarTCP: record.Userspace, Unknown: []string{"the way of the outer packets: no"},
		Ways: []record.Way{
			{From: 0, To: 0, Via: record.Idle},
			{From: 1, To: 9, Via: record.Relayed, Relay: "nyc"},
			{From: 10, To: 20, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
		},
	}
	c.Transfers = []record.Transfer{
		{Name: "down-1", Protocol: record.TCP, Started: 2, Duration: 5},
		{Name: "up-1", Protocol: record.TCP, Started: 8, Duration: 5},
	}
	want := []string{
		"the tunnel's path changed during the test: relay nyc from 1 to 9 s, direct to 192.0.2.7:41641 from 10 to 20 s; up-1 ran over both",
		"tailscale on the far host runs without a TUN device and uses its own TCP: settings of that host's kernel do not reach its connections",
		"not learned: the way of the outer packets: no",
	}
	if got := c.tunnelNotes(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	c.Path.Tunnel = record.Tunnel{Kind: "wireguard"}
	if got := c.tunnelNotes(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
