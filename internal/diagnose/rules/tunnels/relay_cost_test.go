package tunnels

import (
	"testing"
	"time"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
)

// Where the way to the relay has the same queue as the tunnel, it is the way's.
func TestRelayQueue(t *testing.T) {
	run := diagnosetest.Load(t, "../../testdata/relayed--tailscale-eight-fill-it.json.gz")
	eight := run.Transfers[len(run.Transfers)-1]
	for i := range run.Route.Tunnel.Relay.TCP.Samples {
		if x := &run.Route.Tunnel.Relay.TCP.Samples[i]; x.At > eight.Started-2 {
			x.Info.RTT = 300 * time.Millisecond
		}
	}
	v := view.Of(run, eight.Direction)
	if q, found := relayQueue(v); found && q.sure >= 0.8 {
		t.Errorf("the queue is on the way to the relay, and yet: %+v", q)
	}
}
