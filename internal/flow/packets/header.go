package packets

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Header is what one packet says of its connection. What the network card is to
// cut into segments is one packet still.
type Header struct {
	At       time.Time // when it left or arrived, by the kernel's clock
	Leaves   bool
	Sequence uint32
	Length   int // of the payload, in bytes
	Ack      uint32
	Acks     bool // Ack is valid
	// Sacked are what arrived out of order, as the peer tells (RFC 2018), from the
	// first sequence number to the one after the last. The first is what arrived
	// twice where it lies below Ack or within the second (RFC 2883).
	Sacked [mostBlocks][2]uint32
	Blocks int // of Sacked
	// Stamp is the time by its sender's clock, and Echo the youngest Stamp that this
	// one had seen of the other's, where they are Stamped (RFC 7323).
	Stamp, Echo uint32
	Stamped     bool
}

const (
	mostBlocks = 4 // as many as fit TCP's options
	leastTCP   = 20
	leastIPv4  = 20
	ipv6       = 40
	protocol   = 6 // TCP

	optionEnd     = 0
	optionPadding = 1
	optionSacked  = 5
	optionStamps  = 8
	flagAck       = 0x10
)

// Decode reads an IP packet of the connection between two ends, of which only the
// headers may be there. It is false for any other packet.
func (h *Header) Decode(b []byte, local, remote netip.AddrPort) bool {
	if len(b) == 0 {
		return false
	}
	var from, to netip.Addr
	var length int // of the TCP segment
	switch b[0] >> 4 {
	case 4:
		head := 4 * int(b[0]&0xf)
		if head < leastIPv4 || len(b) < head || b[9] != protocol {
			return false
		}
		from, to = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
		length = int(binary.BigEndian.Uint16(b[2:])) - head
		b = b[head:]
	case 6:
		if len(b) < ipv6 || b[6] != protocol {
			return false
		}
		from, to = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
		length = int(binary.BigEndian.Uint16(b[4:]))
		b = b[ipv6:]
	default:
		return false
	}
	if len(b) < leastTCP {
		return false
	}
	source := netip.AddrPortFrom(from, binary.BigEndian.Uint16(b[0:]))
	target := netip.AddrPortFrom(to, binary.BigEndian.Uint16(b[2:]))
	switch {
	case source == local && target == remote:
		h.Leaves = true
	case source == remote && target == local:
		h.Leaves = false
	default:
		return false
	}
	head := 4 * int(b[12]>>4)
	if head < leastTCP || head > len(b) || length < head {
		return false
	}
	h.Sequence, h.Ack = binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	h.Acks, h.Length = b[13]&flagAck != 0, length-head
	h.Blocks, h.Stamped = 0, false
	h.options(b[leastTCP:head])
	return true
}

// options reads the blocks of SACK and the time stamps.
func (h *Header) options(b []byte) {
	for len(b) > 0 {
		switch b[0] {
		case optionEnd:
			return
		case optionPadding:
			b = b[1:]
			continue
		}
		if len(b) < 2 || int(b[1]) < 2 || int(b[1]) > len(b) {
			return
		}
		switch {
		case b[0] == optionStamps && b[1] == 10:
			h.Stamp, h.Echo, h.Stamped = binary.BigEndian.Uint32(b[2:]), binary.BigEndian.Uint32(b[6:]), true
		case b[0] == optionSacked:
			for block := b[2:b[1]]; len(block) >= 8 && h.Blocks < mostBlocks; block = block[8:] {
				h.Sacked[h.Blocks] = [2]uint32{binary.BigEndian.Uint32(block), binary.BigEndian.Uint32(block[4:])}
				h.Blocks++
			}
		}
		b = b[b[1]:]
	}
}
