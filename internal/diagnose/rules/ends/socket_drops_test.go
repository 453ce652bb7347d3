package ends

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// What a far host's socket dropped is its own: the remedies are for it.
func TestFarSocket(t *testing.T) {
	run := diagnosetest.Load(t, "../../testdata/socket-drops--a-small-buffer-in-a-udp-tunnel.json.gz") // here, of a download
	far := &record.Transfer{Series: nil, UDPDrops: nil}
	for i := range run.Transfers {
		x := &run.Transfers[i]
		if x.Direction == record.Down && x.Protocol == record.TCP && x.Streams == 1 {
			far.UDPDrops = x.UDPDrops
		}
	}
	if far.UDPDrops == nil {
		t.Fatal("the fixture has no drops")
	}
	v := &view.View{Run: run, Dir: record.Up, One: &record.Transfer{Direction: record.Up, FarSide: far}}
	run.FarHost, run.FarRoute = &record.Host{}, &run.Route
	at, s, ok := hosts.Overflowing(v)
	if !ok || at.Host != "far" || s.Drops == 0 {
		t.Errorf("the far socket's drops are not seen: %+v, %v", s, ok)
	}
	for _, r := range dropRemedies(v, at, s) {
		if r.Host != "far" {
			t.Errorf("a remedy for the wrong host: %+v", r)
		}
	}
}

func TestBufferOption(t *testing.T) {
	for _, c := range []struct{ program, kind, want string }{
		{"openvpn", "tun", "rcvbuf 7340032"},
		{"", "openvpn", "rcvbuf 7340032"},
		{"tailscaled", "tailscale", "asks for 7 MiB"},
		{"vpnd", "tun", "SO_RCVBUF"},
	} {
		if got := bufferOption(c.program, c.kind, 7<<20); !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: %q", c.program, c.kind, got)
		}
	}
}
