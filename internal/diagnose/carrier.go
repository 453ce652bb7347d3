package diagnose

import (
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// carrier is who carried one stream's packets, where they went through a
// tunnel whose program tells.
type carrier struct {
	relayed float64 // share of the stream's time in which a relay carried them
	// relay and direct are the stream's rates with and without the relay where
	// the path changed under it; 0 where it did not, or a part was too short.
	relay, direct float64
	// later is the transfer that was relayed where the stream itself was not:
	// relay is its rate then, and direct the stream's.
	later *record.Transfer
}

// slower says that the relay's part is slow beside the direct one.
func (c carrier) slower() bool { return c.relay > 0 && c.direct > slowerBy*c.relay }

// carrierOf holds a transfer against the ways that packets took.
func carrierOf(t *record.Transfer, tunnel record.Tunnel) carrier {
	if len(tunnel.Ways) == 0 || t.Duration <= 0 {
		return carrier{}
	}
	var bits, times [2]float64 // direct, relayed
	before := 0.0
	for _, x := range append(slices.Clone(t.Intervals), record.Interval{At: t.Duration}) {
		part := 0
		if viaAt(tunnel, t.Started+(before+x.At)/2) == record.Relayed {
			part = 1
		}
		if x.At > before {
			bits[part] += 8 * float64(x.Bytes)
			times[part] += x.At - before
			before = x.At
		}
	}
	c := carrier{relayed: stats.Clamp(times[1]/t.Duration, 0, 1)}
	if times[0] >= partTime && times[1] >= partTime {
		c.direct, c.relay = bits[0]/times[0], bits[1]/times[1]
	}
	return c
}

// sameWay leaves out what was measured over another way than the one stream: a
// ladder over a relay says nothing of a direct path. Eight streams that a relay
// carried for less than the one had directly are what the relay costs.
func (v *view) sameWay() {
	v.rungs = slices.DeleteFunc(v.rungs, func(r rung) bool { return v.otherWay(r.start, r.duration) })
	if v.eight == nil || !v.otherWay(v.eight.Started, v.eight.Duration) {
		return
	}
	if v.carrier.relayed == 0 && v.eight.SteadyRate*slowerBy < v.one.SteadyRate {
		v.carrier.direct, v.carrier.relay, v.carrier.later = v.one.SteadyRate, v.eight.SteadyRate, v.eight
	}
	v.eight = nil
}

// otherWay says that what ran at a time went another way than the one stream did.
func (v *view) otherWay(start, duration float64) bool {
	return (viaAt(v.run.Route.Tunnel, start+duration/2) == record.Relayed) != (v.carrier.relayed >= relayedShare)
}

// idleElsewhere says that the echo probes without load went through a relay and the one
// stream directly, where the RTT may be a shorter one: what fell is no queue of others'.
func (v *view) idleElsewhere() bool {
	e := v.run.Echo("idle")
	return e != nil && len(e.Probes) > 0 && v.carrier.relayed == 0 && v.otherWay(e.Started, e.Probes[len(e.Probes)-1].At)
}

// partTime is the least part of a stream, in seconds, whose rate says something
// of it: the program is asked once a second.
const partTime = 1.0

// viaAt is the way at a moment: halfway between two answers that differ, the
// path is taken to have changed.
func viaAt(tunnel record.Tunnel, at float64) record.Via {
	via := record.Via("")
	for i, w := range tunnel.Ways {
		from := w.From
		if i > 0 {
			from = (tunnel.Ways[i-1].To + w.From) / 2
		}
		if from > at && via != "" {
			break
		}
		if w.Via != record.Idle {
			via = w.Via
		}
	}
	return via
}

// fitting takes away remedies that cannot help where the packets go: those of a
// relayed tunnel's inner TCP and queue, and settings of a host whose TCP is the
// tunnel's program's own.
func (v *view) fitting(f finding.Finding) finding.Finding {
	tunnel := v.run.Route.Tunnel
	idle := func(r finding.Remedy) bool {
		if v.carrier.relayed >= relayedShare && r.Action != nil && (r.Action.Kind == finding.KindShape || r.Action.Kind == finding.KindCC || r.Action.Kind == finding.KindPace) {
			return true
		}
		return r.Action != nil && inUserspace(tunnel, r.Host)
	}
	if !slices.ContainsFunc(f.Remedies, idle) {
		return f
	}
	f.Remedies = slices.DeleteFunc(slices.Clone(f.Remedies), idle)
	for _, host := range []string{"near", "far"} {
		if inUserspace(tunnel, host) && host == v.sender() {
			f.Remedies = append(f.Remedies, kernelTCP(tunnel, host))
		}
	}
	if v.carrier.relayed >= relayedShare && f.Cause != finding.Relayed {
		f.Remedies = append(f.Remedies, v.directRemedies()...)
	}
	return f
}

// inUserspace says that a program on a host ends the connections there, near or far,
// with a TCP of its own.
func inUserspace(t record.Tunnel, host string) bool {
	return host == "near" && t.NearTCP == record.Userspace || host == "far" && t.FarTCP == record.Userspace
}

// kernelTCP is what helps where a program without a TUN device ends the
// connections: a TCP of gVisor's, in which only that program's makers can
// change anything.
func kernelTCP(t record.Tunnel, host string) finding.Remedy {
	where := finding.Sender
	return finding.Remedy{
		What:  "The " + t.Kind + " program there runs without a TUN device and has a TCP of its own: no congestion control, buffer or queue of that host reaches the stream. Give it a TUN device (no --tun=userspace-networking; in a container /dev/net/tun and CAP_NET_ADMIN), so that the kernel's TCP is used.",
		Where: where, Host: host,
	}
}
