//go:build !slim

package app

import (
	"testing"

	"unchoke/internal/record"
)

// What the far host sends is what this one calls down.
func TestMeasuredThere(t *testing.T) {
	run := &record.Run{
		ID:    "r",
		Route: record.Route{Address: "192.0.2.2", Source: "192.0.2.1", Device: "eth0"},
		Far:   record.Peer{Sees: "198.51.100.1"},
		FarRoute: &record.Route{
			Source: "10.0.0.2", Device: "ens3", Tunnel: record.Tunnel{Kind: "wireguard"},
		},
		Transfers: []record.Transfer{
			{Name: "down-1", Direction: record.Down, Protocol: record.TCP, Streams: 1, CC: "cubic", Rate: 5e6, Duration: 5},
			{Name: "up-1", Direction: record.Up, Protocol: record.TCP, Streams: 1, CC: "bbr", Rate: 9e6, Duration: 5},
		},
	}
	here, there := Measured(run), MeasuredThere(run)
	if there.Up == nil || here.Down == nil || there.Up.CC != "cubic" || there.Down.CC != "bbr" || there.Up.Rate != here.Down.Rate {
		t.Errorf("up %+v, down %+v", there.Up, there.Down)
	}
	if there.Address != "198.51.100.1" || there.Source != "10.0.0.2" || there.Device != "ens3" || there.Tunnel != "wireguard" || there.Record != "r" {
		t.Errorf("%+v", there)
	}
	run.FarRoute, run.Far.Sees = nil, ""
	if there := MeasuredThere(run); there.Address != "192.0.2.1" || there.Source != "192.0.2.2" || there.Device != "" || there.Tunnel != "" {
		t.Errorf("%+v", there)
	}
}
