// Package network builds a path.Path out of Linux namespaces: two hosts, near
// and far, and between them a third namespace that does to packets what the
// path says. It needs to be root in its user namespace, a kernel with netem,
// and /proc.
//
//	near           │ mid                                         │ far
//	eth0 (fq_codel)│ near-wire ═ near-port ──► far-port ═ far-wire │ eth0
//
// A host's eth0 has the kernel's stock qdisc. Beneath it, on the other side of
// the namespace's border, its -wire device sends at WireRate. A filter on each
// -port hands every unicast frame that comes in to the opposite -port, whose
// egress is the path in that direction: policer, loss, bottleneck and its
// queue, delay with its jitter. Nothing else travels the path: the hosts know
// each other's MAC addresses, and multicast ends at the port. A queue that tells
// flows apart sees their packets alone: what the sending host's kernel noted on
// them ends at the -port.
//
// What a device cannot do in this order has a cable of its own within mid, one
// end for its qdiscs and the other to lead on. So has a bottleneck that other
// traffic shares, whose hosts, cross and cross-far, have ports of their own:
//
//	near-port ──► own-in ═ own-out ──► up-in ═ up-out ──► far-port
//	cross-port ────────────────────────►  │        └────► cross-far-port
//
// Where the path has a schedule, a thread changes the qdiscs in their places at
// its times, from Network.Begin on.
package network

import (
	"net/netip"

	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// Config is a network to build.
type Config struct {
	Path path.Path
	Seed uint64 // of everything random on the path
	Dir  string // where the path's relative file names begin; empty: the working directory
	// NoIPv6 leaves IPv6 off both hosts: they have no such address, and say
	// nothing of their own.
	NoIPv6 bool
}

// Entry is a line of a hosts file.
type Entry struct {
	Name string
	Addr netip.Addr
}

// WireRate is what the hosts' network cards and the wires between them carry
// where the path sets no rate.
const WireRate = 10 * unit.Gbit
