package view

import (
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// sameWay leaves out what was measured over another way than the one stream: a
// ladder over a relay says nothing of a direct path. Eight streams that a relay
// carried for less than the one had directly are what the relay costs.
func (v *View) sameWay() {
	v.Rungs = slices.DeleteFunc(v.Rungs, func(r seen.Rung) bool { return v.otherWay(r.Start, r.Duration) })
	if v.Eight == nil || !v.otherWay(v.Eight.Started, v.Eight.Duration) {
		return
	}
	if v.Carrier.Relayed == 0 && v.Eight.SteadyRate*seen.SlowerBy < v.One.SteadyRate {
		v.Carrier.Direct, v.Carrier.Relay, v.Carrier.Later = v.One.SteadyRate, v.Eight.SteadyRate, v.Eight
	}
	v.Eight = nil
}

// otherWay says that what ran at a time went another way than the one stream did.
func (v *View) otherWay(start, duration float64) bool {
	return (v.Run.Route.Tunnel.ViaAt(start+duration/2) == record.Relayed) != (v.Carrier.Relayed >= RelayedShare)
}

// idleElsewhere says that the echo probes without load went through a relay and the one
// stream directly, where the RTT may be a shorter one: what fell is no queue of others'.
func (v *View) idleElsewhere() bool {
	e := v.Run.Echo("idle")
	return e != nil && len(e.Probes) > 0 && v.Carrier.Relayed == 0 && v.otherWay(e.Started, e.Probes[len(e.Probes)-1].At)
}

// UnaskedOutside says that the stream goes through a tunnel over UDP, that nobody asked
// outside, for lack of time or of a server there, and that the path is long.
func (v *View) UnaskedOutside() bool {
	return v.Run.Route.Tunnel.OverUDP() && v.Run.BesideIn(v.Dir, true) == nil && v.Idle.Mid > longTunnel
}

const longTunnel = 0.1 // seconds
