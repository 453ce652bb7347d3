package tunnels

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A tunnel's MTU is called too large only if its packets with their headers are larger than
// what passes outside.
func TestTunnelMTUTooLarge(t *testing.T) {
	run := diagnosetest.Load(t, "../../testdata/mtu-blackhole--in-wireguard.json.gz")
	h := seen.HoleIn(run, record.Up)
	outer := record.PacketSizes{Outside: true, Sizes: []record.SizeSeen{{Size: 1400, Sent: 3, Answered: 3}, {Size: 1401, Sent: 3}}}
	for _, c := range []struct {
		kind, outer string
		mtu         int
		large       bool
	}{
		{"wireguard", "192.0.2.7", 1340, false},
		{"wireguard", "192.0.2.7", 1341, true},
		{"tailscale", "2001:db8::7", 1320, false},
		{"netbird", "2001:db8::7", 1321, true},
		{"gre", "192.0.2.7", 1380, false},
		{"gre", "192.0.2.7", 1381, true},
		{"nebula", "192.0.2.7", 1300, false},
		{"nebula", "192.0.2.7", 1400, true},
	} {
		run.Route.Tunnel.Kind, run.Route.MTU, outer.Address = c.kind, c.mtu, c.outer
		run.PacketSizes = []record.PacketSizes{outer}
		said := holeWords(h, run, record.Up)
		if !strings.Contains(said, "Outside the tunnel, packets of up to 1400 bytes come to "+c.outer) || strings.Contains(said, "too large") != c.large {
			t.Errorf("%s with an MTU of %d to %s: %s", c.kind, c.mtu, c.outer, said)
		}
	}
}
