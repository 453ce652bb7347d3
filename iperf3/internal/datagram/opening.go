package datagram

import (
	"encoding/binary"
	"time"
)

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

// Hello returns the first opening of a stream.
func Hello() []byte { return HelloAgain(headerSize64) }

// HelloAgain returns a repeated opening, of size bytes, 16 at least. A stock server
// answers the first opening only; once its socket is connected it reads the others as
// data when the test begins. So an opening is the header of packet 0, which no server
// counts as a packet or as a loss; a stock one counts it as out of order, and its bytes.
// And a repeated one is as long as the test's packets: from 3.16 to 3.19 a server reads
// until it has so many bytes, and would take the rest from the first packet, which it then
// counts as lost.
func HelloAgain(size int) []byte {
	p := make([]byte, max(size, headerSize64))
	binary.LittleEndian.PutUint32(p, hello)
	binary.BigEndian.PutUint32(p[4:], uint32(helloSent%time.Second/time.Microsecond))
	return p
}

// helloSent is when an opening says that it was sent: its number is the seconds. The
// clock of no packet is within that second, so that none looks like an opening.
const helloSent = 0x39383736*time.Second + 999_999*time.Microsecond

// Clock returns the sender's clock at the start of a test, for headers. A server that
// reads an opening as data does so when the test begins for it, about half a round trip
// before it begins for the client. What the client sends then arrives half a round trip
// after it has begun. So with a clock that is a round trip ahead, openings and packets
// have the same transit time, and the jitter is the packets' own.
func Clock(rtt time.Duration) time.Duration { return helloSent + time.Microsecond + rtt }

// Reply returns a server's answer to an opening.
func Reply() []byte { return binary.LittleEndian.AppendUint32(nil, reply) }
