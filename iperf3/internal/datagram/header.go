// Package datagram has the UDP datagrams of a test: those that open a stream,
// the header of those that carry data, and the account that a receiver keeps of
// what arrives.
package datagram

import (
	"encoding/binary"
	"time"
)

// A UDP datagram of a test begins with the sender's clock, in seconds and
// microseconds, and its sequence number from 1: 32 or 64 bits, big-endian.
const (
	headerSize32 = 12
	headerSize64 = 16
)

// A Header is what a datagram begins with.
type Header struct {
	Sent time.Duration // the sender's clock, whose origin is unknown; whole microseconds
	Seq  uint64        // from 1
}

// Put writes the header to p, with a sequence number of 64 bits if wide, else
// of 32. p has room for it: 16 bytes or 12.
func (h Header) Put(p []byte, wide bool) {
	binary.BigEndian.PutUint32(p, uint32(h.Sent/time.Second))
	binary.BigEndian.PutUint32(p[4:], uint32(h.Sent%time.Second/time.Microsecond))
	if wide {
		binary.BigEndian.PutUint64(p[8:], h.Seq)
	} else {
		binary.BigEndian.PutUint32(p[8:], uint32(h.Seq))
	}
}

// ParseHeader reads the header of a datagram; ok is false for one that no
// iperf3 sends: too short, or numbered 0.
func ParseHeader(p []byte, wide bool) (h Header, ok bool) {
	if len(p) < headerSize32 || wide && len(p) < headerSize64 {
		return Header{}, false
	}
	h.Sent = time.Duration(binary.BigEndian.Uint32(p))*time.Second +
		time.Duration(binary.BigEndian.Uint32(p[4:]))*time.Microsecond
	if wide {
		h.Seq = binary.BigEndian.Uint64(p[8:])
	} else {
		h.Seq = uint64(binary.BigEndian.Uint32(p[8:]))
	}
	return h, h.Seq != 0
}
