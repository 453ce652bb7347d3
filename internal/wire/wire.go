// Package wire has the sizes of packets, in bytes.
package wire

import "net/netip"

const (
	Ethernet = 14 // a frame's header
	// IPTCP is 20 bytes of IPv4, 20 of TCP, 12 of timestamps (RFC 7323 §3).
	IPTCP = 52
	// Frame is a full frame of Ethernet, without its checksum, as qdiscs count it.
	Frame = Ethernet + 1500
	// Segment is the payload of TCP in it.
	Segment = 1500 - IPTCP
	// ACK is a frame that acknowledges, and has no payload.
	ACK = Ethernet + IPTCP
	// SACK is an option with one block (RFC 2018 §3), padded.
	SACK = 12
	// EchoPayload is what an echo probe carries: as much as tells one series from another.
	// As large as ping's, fifty a second would take 39 kbit/s of a thin way back.
	EchoPayload = 8
	// Echo is the frame of an echo probe: 20 bytes of IPv4, 8 of ICMP, its payload.
	Echo = Ethernet + 28 + EchoPayload
)

// Headers are IP's and TCP's to an address, without options: what is left of a packet
// bounds a segment.
func Headers(address netip.Addr) int {
	if address.Unmap().Is6() {
		return 40 + 20
	}
	return 20 + 20
}

// PerGoodput is the rate of full frames for one of payload.
const PerGoodput = float64(Frame) / Segment

// What tunnels put before a packet: 20 of IPv4, 8 of UDP, 32 of WireGuard's own; 20 of
// IPv4 and 4 of GRE; 40 of IPv6, 8 for the limit of encapsulations (RFC 2473 §4.1.1)
// and 4 of GRE.
const (
	WireGuard = 60
	GRE       = 24
	IP6GRE    = 52
)
