// Package path holds what a network does to packets between two hosts, as a
// value and as text: `rtt=50ms,jitter=8ms,loss=0.5%,tunnel=wireguard`.
// Parsing and printing are inverse. A path may change with time: its Schedule
// says when and how, and Path.At what it then is.
package path

import (
	"time"

	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// Path is what the network between host near and host far does to packets.
// The zero value is a wire without delay, loss or limit.
type Path struct {
	Up     Direction // near → far
	Down   Direction // far → near
	Tunnel Tunnel
	MTU    int // of the underlay, in bytes; 0 means DefaultMTU
	// Schedule is when and how the conditions above change.
	Schedule Schedule
}

// Direction is what happens to the packets that travel one way, in this
// order: the sending host's own shaper, the policer, random loss, the bottleneck and its queue, delay with
// its jitter.
type Direction struct {
	Delay   time.Duration // one way
	Jitter  time.Duration // standard deviation of the delay
	Dist    Dist          // shape of the jitter
	Order   Order         // whether a delay that varies may reorder packets
	Loss    Loss
	Rate    unit.BitRate // bottleneck, link-layer frames as tc counts them; 0 is none
	Queue   Queue        // in front of the bottleneck
	Policer Policer
	UDP     UDP   // what UDP alone meets before that
	SQM     SQM   // of the sending host itself
	Cross   Cross // beside the sending host; it meets the bottleneck and the delay alone
	// NoPMTUD drops what is larger than the path's MTU without a word, as where
	// ICMP is filtered, and leaves the hosts' cards at DefaultMTU. Where neither
	// direction has it, the cards have the path's MTU, as if it had been
	// discovered; where one has, the other's packets pass whatever their size, as
	// on ways that differ.
	NoPMTUD bool
}

// UDP is what a network that treats UDP worse than TCP does to it: packets of
// that IP protocol, a tunnel's among them. Of IPv6 those whose UDP header
// follows at once, without extension headers.
type UDP struct {
	Policer Policer
	Loss    Loss
	Rate    unit.BitRate // with one bandwidth-delay product of queue
}

// DefaultMTU is Ethernet's.
const DefaultMTU = 1500

// MinMTU is the smallest that IPv6 permits (RFC 8200 §5), and MaxMTU the
// largest of a jumbo frame that common hardware carries.
const (
	MinMTU = 1280
	MaxMTU = 9000
)

// EffectiveMTU is the underlay's MTU in bytes, the default filled in.
func (p Path) EffectiveMTU() int {
	if p.MTU == 0 {
		return DefaultMTU
	}
	return p.MTU
}

// HostMTU is that of the hosts' own cards, in bytes.
func (p Path) HostMTU() int {
	if p.Up.NoPMTUD || p.Down.NoPMTUD {
		return DefaultMTU
	}
	return p.EffectiveMTU()
}

// Frame is the largest that a direction carries whole, in bytes as qdiscs count
// them.
func (p Path) Frame(d Direction) unit.Size {
	if d.NoPMTUD {
		return unit.Size(p.EffectiveMTU() + ethernetHeader)
	}
	return unit.Size(p.HostMTU() + ethernetHeader)
}

// RTT is the base round-trip time: both directions' delays without jitter.
func (p Path) RTT() time.Duration { return p.Up.Delay + p.Down.Delay }

// Order says whether packets may overtake each other.
type Order string

const (
	Keep Order = "keep" // a queue's jitter: no packet overtakes another
	Free Order = "free" // each packet has its own delay: jitter reorders, and so does a delay that falls
)

// Dist names the shape of jitter's distribution. Its standard deviation is
// Direction.Jitter whatever the shape. A measured table is FilePrefix and the
// name of a file in the format of iproute2's .dist files.
type Dist string

const (
	Normal       Dist = "normal"
	Uniform      Dist = "uniform"
	Pareto       Dist = "pareto"
	ParetoNormal Dist = "paretonormal"
	FilePrefix        = "file:"
)

// Tunnel is what carries the path's inner address.
type Tunnel string

const (
	NoTunnel  Tunnel = "none"
	WireGuard Tunnel = "wireguard"
	GRE       Tunnel = "gre"
	IP6GRE    Tunnel = "ip6gre"
)

// Headers are what a tunnel puts before each packet, in bytes, WireGuard over IPv4; 0 for
// no tunnel, and for one that is not known.
func (t Tunnel) Headers() int {
	switch t {
	case WireGuard:
		return wire.WireGuard
	case GRE:
		return wire.GRE
	case IP6GRE:
		return wire.IP6GRE
	}
	return 0
}

// Loss is random loss. With Burst false, each packet is lost with probability
// P, independently. With Burst, it is the Gilbert–Elliott model: P is the
// probability a packet to go from the good state to the bad one, R back, Bad
// and Good the loss in each state.
type Loss struct {
	P     unit.Ratio
	Burst bool
	R     unit.Ratio
	Bad   unit.Ratio
	Good  unit.Ratio
}

// Mean is the long-run share of packets lost.
// Hasslinger & Hohlfeld, "The Gilbert-Elliott Model for Packet Loss in Real
// Time Services on the Internet" (2008), eq. 3.
func (l Loss) Mean() unit.Ratio {
	if !l.Burst {
		return l.P
	}
	if l.P+l.R == 0 {
		return l.Good
	}
	return (l.P*l.Bad + l.R*l.Good) / (l.P + l.R)
}

// Queue is the buffer in front of the bottleneck: one that drops at its tail,
// in exactly one unit, or an AQM. The zero value asks for the default: one
// bandwidth-delay product.
type Queue struct {
	Bytes   unit.Size
	Packets int
	BDP     float64
	AQM     AQM
}

// AQM is a queue that manages its own length, with the kernel's own
// parameters, as tc makes it where it is told nothing but the rate.
type AQM string

const (
	FQCoDel AQM = "fq_codel"
	Cake    AQM = "cake"
	CoDel   AQM = "codel"
	PIE     AQM = "pie"
)

// minQueuePackets keeps a default or BDP-sized queue from being too short to
// hold a window's burst on a short path. 16 full frames delay a packet by
// 39 ms at 5 Mbit/s, which is no bufferbloat.
const minQueuePackets = 16

// QueueBytes is the queue's capacity in bytes for a direction of this path,
// or 0 where the queue is counted in packets or is an AQM.
func (p Path) QueueBytes(d Direction) unit.Size {
	q := d.Queue
	if q.Packets > 0 || q.AQM != "" {
		return 0
	}
	if q.Bytes > 0 {
		return q.Bytes
	}
	n := q.BDP
	if n == 0 {
		n = 1
	}
	bdp := unit.Size(n * float64(d.Rate) / 8 * p.RTT().Seconds())
	return max(bdp, minQueuePackets*unit.Size(p.EffectiveMTU()+ethernetHeader))
}

const ethernetHeader = 14

// Policer drops what exceeds a rate, with no queue. The zero value is none.
type Policer struct {
	Rate  unit.BitRate
	Burst unit.Size
}
