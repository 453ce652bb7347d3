package tunnels

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

func TestNoDirect(t *testing.T) {
	yes, no := true, false
	for want, d := range map[string]*record.DirectCheck{
		"":                     {},
		"from this host to":    {UDP: &no, PeerUDP: &yes},
		"from the far host to": {UDP: &yes, PeerUDP: &no},
		"both hosts are":       {UDP: &yes, HardNAT: &yes, PeerHardNAT: &yes},
		"this host is behind":  {HardNAT: &yes, PeerHardNAT: &no},
		"the far host is":      {PeerHardNAT: &yes},
		"between them":         {UDP: &yes, PeerUDP: &yes},
		"ICE chose":            {Local: "relay", Remote: "relay"},
	} {
		if got := noDirect(d); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
	if got := noDirect(nil); got != "" {
		t.Errorf("%q", got)
	}
}

// What was measured over a relay says nothing of the direct path that the
// stream had before: neither its ladder nor its eight streams count, and these
// tell what the relay costs.
func TestChangedAfterTheStream(t *testing.T) {
	run := diagnosetest.Load(t, "../../testdata/loss-limited--wireguard-up.json.gz")
	before := view.Of(run, record.Up)
	ends := before.One.Started + before.One.Duration
	run.Route.Tunnel = record.Tunnel{
		Kind: "tailscale", Relayed: true, Relay: &record.Relay{Name: "nyc", Transport: "tcp"},
		Ways: []record.Way{
			{From: 0, To: ends, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
			{From: ends, To: 100, Via: record.Relayed, Relay: "nyc"},
		},
	}
	after := view.Of(run, record.Up)
	if before.Eight == nil || len(before.Rungs) == 0 || after.Eight != nil || len(after.Rungs) != 0 {
		t.Errorf("of another way: eight streams %v, %d rungs", after.Eight != nil, len(after.Rungs))
	}
	if f := Relayed(after); f != nil {
		t.Errorf("eight streams carried more than the one, and yet %s", f.Summary)
	}
	before.Eight.SteadyRate = before.One.SteadyRate / 2
	f := Relayed(view.Of(run, record.Up))
	if f == nil || !strings.Contains(f.Summary, "changed during the test") {
		t.Errorf("%+v", f)
	}
}
