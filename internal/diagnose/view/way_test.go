package view

import (
	"testing"

	"unchoke/internal/record"
)

// A relay's round trip is longer than the direct one: where the path opens after the
// idle probes, nobody's queue has drained.
func TestIdleThroughTheRelay(t *testing.T) {
	run := load(t, "testdata/relayed--tailscale-direct-later.json.gz")
	for i := range run.Echo("idle").Probes {
		run.Echo("idle").Probes[i].RTT += 0.2
	}
	run.Route.Tunnel.Ways = []record.Way{{To: 30, Via: record.Relayed, Relay: "lab"}}
	if v := Of(run, record.Up); v.idleElsewhere() || !v.drains() {
		t.Fatalf("idle through the same relay: %v", v)
	}
	run.Route.Tunnel.Ways = []record.Way{{To: 5, Via: record.Relayed, Relay: "lab"}, {From: 6, To: 30, Via: record.Direct, Endpoint: "10.0.0.2:41641"}}
	v := Of(run, record.Up)
	if !v.idleElsewhere() || v.drains() || v.Idle.Mid > 0.1 {
		t.Errorf("idle through a relay: %v", v)
	}
}
