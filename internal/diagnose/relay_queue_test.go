package diagnose

import (
	"testing"

	"unchoke/internal/finding"
)

// One stream happened not to meet the end of what the relay takes, and filled
// what was seen of the path; eight streams did.
func TestEightFillTheRelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-eight-fill-it.json.gz")
	said := Diagnose(run)
	if got := finding.Verdict(said); got != finding.Relayed || said[0].Confidence > 0.85 {
		t.Errorf("verdict %s, %.2f", got, said[0].Confidence)
	}
}

// What a TCP relay lets arrive is no measure of the path beneath.
func TestHealthyThroughARelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-eight-fill-it.json.gz")
	run.Route.Tunnel.Relay.TCP = nil
	for _, f := range Diagnose(run) {
		if f.Cause == finding.Healthy && f.Confidence > 0.6 {
			t.Errorf("%.2f sure: %s", f.Confidence, f.Summary)
		}
	}
}
