//go:build !slim

package tunnel

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/record"
)

// A peer is tried where it can be reached: this host's own address, which its containers'
// network has as well, would be the nearest.
func TestTryable(t *testing.T) {
	for _, c := range [][2]string{ // a peer's, and those to be tried
		{"192.0.2.7:41641 172.17.0.1:41641 192.168.1.5:41641 [fd00::1]:41641 100.70.0.1:1", "192.0.2.7:41641"},
		{"10.0.0.2:41641 172.17.0.1:41641", "10.0.0.2:41641"},
		{"192.0.2.1:41641 127.0.0.1:1 169.254.1.1:1 [fe80::1]:1 [::ffff:172.17.0.1]:1", ""},
		{"[2001:db8::7]:41641 10.0.0.2:41641 192.0.2.7:1", "[2001:db8::7]:41641 192.0.2.7:1"},
	} {
		var all []netip.AddrPort
		for s := range strings.FieldsSeq(c[0]) {
			all = append(all, netip.MustParseAddrPort(s))
		}
		var got []string
		for _, a := range tryable(actor{}, all) {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != c[1] {
			t.Errorf("of %s: %s", c[0], got)
		}
	}
	if here := (system{}).Own(); !slices.Contains(here, netip.MustParseAddr("127.0.0.1")) {
		t.Skip("without loopback: ", here)
	}
	for candidate, want := range map[string]int{"172.17.0.1:41641": 1, "192.0.2.7:41641": 2} { // the relay first
		w := watcher(actor{}, "tailscale0", "tun", "100.101.1.1", "100.101.1.2")
		w.source.ask = func(context.Context, host, query) (state, error) {
			return state{
				via: record.Relayed, relay: record.Relay{Name: "nyc", Address: "198.51.100.1:443"},
				direct: &record.DirectCheck{}, candidates: []netip.AddrPort{netip.MustParseAddrPort(candidate)},
			}, nil
		}
		w.Look(t.Context(), 0)
		outside := w.Outside()
		if len(outside) != want {
			t.Fatalf("%s: tried %v", candidate, outside)
		}
		w.Heard(outside[0], 80*time.Millisecond)
		if got := w.Tunnel(); got.Underlay.RTT != 0.08 || got.Direct.RTT != 0 {
			t.Errorf("heard the relay: %+v, %+v", got.Underlay, got.Direct)
		}
		if want == 1 {
			continue
		}
		w.Heard(outside[1], 20*time.Millisecond)
		if got := w.Tunnel(); got.Direct.RTT != 0.02 || got.Direct.Address != "192.0.2.7" {
			t.Errorf("heard the peer: %+v", got.Direct)
		}
	}
}
