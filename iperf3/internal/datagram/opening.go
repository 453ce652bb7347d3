package datagram

import "encoding/binary"

// The datagrams by which a UDP stream is opened: numbers of 32 bits, in the
// sender's byte order, which everyone takes to be little-endian. The legacy
// ones were used before 3.12 and are still understood.
const (
	hello       = 0x36373839 // "9876" on the wire
	reply       = 0x39383736 // "6789" on the wire
	legacyHello = 123456789
	legacyReply = 987654321
)

// IsHello tells whether a datagram opens a stream.
func IsHello(p []byte) bool {
	if len(p) < 4 {
		return false
	}
	v := binary.LittleEndian.Uint32(p)
	return v == hello || v == legacyHello
}

// IsReply tells whether a datagram is the answer to an opening.
func IsReply(p []byte) bool {
	if len(p) != 4 {
		return false
	}
	v := binary.LittleEndian.Uint32(p)
	return v == reply || v == legacyReply
}

// Hello returns a first or repeated opening. A stock server answers the first
// only; once its socket is connected it reads the others as data. So what
// follows the number is the rest of a header with the sequence number 0, which no
// server counts as a packet or as a loss.
func Hello() []byte {
	return binary.LittleEndian.AppendUint32(make([]byte, 0, headerSize64), hello)[:headerSize64]
}

// Reply returns a server's answer to an opening.
func Reply() []byte { return binary.LittleEndian.AppendUint32(nil, reply) }
