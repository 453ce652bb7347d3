package diagnose

import (
	"testing"

	"unchoke/internal/finding"
)

// One stream happened not to meet the end of what the relay takes, and filled
// what was seen of the path; eight streams did. Where the way to the relay has
// the same queue, it is the way's.
func TestRelayQueue(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-eight-fill-it.json.gz")
	said := Diagnose(run)
	if got := finding.Verdict(said); got != finding.Relayed || said[0].Confidence > relayLossSure {
		t.Errorf("verdict %s, %.2f", got, said[0].Confidence)
	}
	eight := run.Transfers[len(run.Transfers)-1]
	for i := range run.Route.Tunnel.Relay.TCP.Samples {
		if x := &run.Route.Tunnel.Relay.TCP.Samples[i]; x.At > eight.Started-2 {
			x.Info.RTT = seconds(0.3)
		}
	}
	v := newView(run, eight.Direction)
	if q, found := v.relayQueue(); found && q.sure >= 0.8 {
		t.Errorf("the queue is on the way to the relay, and yet: %+v", q)
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
