package tune

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
)

// Where large packets vanish, an MTU on this host fixes both directions; TCP's
// own search is this host's to switch on only where it sends.
func TestMTUBlackhole(t *testing.T) {
	hole := func(up, down bool, tunnel string) *Measured {
		m := &Measured{Address: "192.0.2.9", Device: "eth0", Tunnel: tunnel, RTT: 0.05}
		way := func(has bool, mtu int) *Way {
			if !has {
				return &Way{Rate: 50e6, Capacity: 50e6, Causes: []finding.Cause{finding.Healthy}}
			}
			return &Way{Capacity: 50e6, MTU: mtu, Causes: []finding.Cause{finding.MTUBlackhole}}
		}
		m.Up, m.Down = way(up, 1400), way(down, 1380)
		return m
	}
	for name, c := range map[string]struct {
		m       *Measured
		probing string
		note    string // in the command; empty: no note
	}{
		"up":          {hole(true, false, "none"), "1", "mtu lock 1400"},
		"down":        {hole(false, true, "none"), "", "mtu lock 1380"},
		"both":        {hole(true, true, "none"), "1", "mtu lock 1380"},
		"in a tunnel": {hole(true, true, "wireguard"), "1", "ip link set dev eth0 mtu 1380"},
		"neither":     {hole(false, false, "wireguard"), "", ""},
	} {
		p := plan(t, debian(), c.m, Options{})
		if got := p.has(Sysctl, keyMTU); got != c.probing {
			t.Errorf("%s: %s = %q, want %q", name, keyMTU, got, c.probing)
		}
		if got := p.notes("mtu"); (got == "") != (c.note == "") || !strings.Contains(got, c.note) {
			t.Errorf("%s: the note is %q, want %q in it", name, got, c.note)
		}
		if far := p.notes("far-host"); far != "" {
			t.Errorf("%s: %q", name, far)
		}
	}
}
