package seen

import (
	"slices"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Carrier is who carried one stream's packets, where they went through a
// tunnel whose program tells.
type Carrier struct {
	Relayed float64 // share of the stream's time in which a relay carried them
	// Relay and Direct are the stream's rates with and without the relay where
	// the path changed under it; 0 where it did not, or a part was too short.
	Relay, Direct float64
	// Later is the transfer that was relayed where the stream itself was not:
	// Relay is its rate then, and Direct the stream's.
	Later *record.Transfer
}

// Slower says that the relay's part is slow beside the direct one.
func (c Carrier) Slower() bool { return c.Relay > 0 && c.Direct > SlowerBy*c.Relay }

// CarrierOf holds a transfer against the ways that packets took.
func CarrierOf(t *record.Transfer, tunnel record.Tunnel) Carrier {
	if len(tunnel.Ways) == 0 || t.Duration <= 0 {
		return Carrier{}
	}
	var bits, times [2]float64 // direct, relayed
	before := 0.0
	for _, x := range append(slices.Clone(t.Intervals), record.Interval{At: t.Duration}) {
		part := 0
		if tunnel.ViaAt(t.Started+(before+x.At)/2) == record.Relayed {
			part = 1
		}
		if x.At > before {
			bits[part] += 8 * float64(x.Bytes)
			times[part] += x.At - before
			before = x.At
		}
	}
	c := Carrier{Relayed: stats.Clamp(times[1]/t.Duration, 0, 1)}
	if times[0] >= partTime && times[1] >= partTime {
		c.Direct, c.Relay = bits[0]/times[0], bits[1]/times[1]
	}
	return c
}

// partTime is the least part of a stream, in seconds, whose rate says something
// of it: the program is asked once a second.
const partTime = 1.0

// InUserspace says that a program on a host ends the connections there, near or far,
// with a TCP of its own.
func InUserspace(t record.Tunnel, host string) bool {
	return host == "near" && t.NearTCP == record.Userspace || host == "far" && t.FarTCP == record.Userspace
}
