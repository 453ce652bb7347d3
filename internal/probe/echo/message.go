package echo

import (
	"encoding/binary"
	"net/netip"

	"unchoke/internal/wire"
)

// Types of the two messages, RFC 792 and RFC 4443 §4.
const (
	request4, reply4 = 8, 0
	request6, reply6 = 128, 129
)

const (
	// headerSize is type, code, checksum, identifier, sequence number.
	headerSize = 8
	// tokenSize is how much of the payload tells a series' probes from others': all of it,
	// since probes are to load no line.
	tokenSize = wire.EchoPayload
)

// token marks the probes of one series: not every kind of socket filters by
// ICMP identifier.
type token [tokenSize]byte

// request appends an echo request to b. Its checksum is complete for IPv4; for
// IPv6, where it covers addresses that only the kernel knows, the kernel fills
// it in.
func request(b []byte, addr netip.Addr, id, seq uint16, t token, size int) []byte {
	at := len(b)
	typ := byte(request4)
	if addr.Is6() {
		typ = request6
	}
	b = append(b, typ, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, id)
	b = binary.BigEndian.AppendUint16(b, seq)
	b = append(b, t[:]...)
	b = append(b, make([]byte, max(0, size-tokenSize))...)
	if addr.Is4() {
		binary.BigEndian.PutUint16(b[at+2:], checksum(b[at:]))
	}
	return b
}

// reply returns the sequence number of the echo reply in b, a message as the
// socket gave it: some sockets leave the IPv4 header before it.
func reply(b []byte, addr netip.Addr, t token) (seq uint16, ok bool) {
	typ := byte(reply6)
	if addr.Is4() {
		typ = reply4
		b = skipIPv4(b)
	}
	if len(b) < headerSize+tokenSize || b[0] != typ || b[1] != 0 {
		return 0, false
	}
	if token(b[headerSize:headerSize+tokenSize]) != t {
		return 0, false
	}
	return binary.BigEndian.Uint16(b[6:]), true
}

// skipIPv4 cuts off an IPv4 header. An echo reply begins with a zero byte, so
// the two cannot be confused.
func skipIPv4(b []byte) []byte {
	if len(b) == 0 || b[0]>>4 != 4 {
		return b
	}
	n := int(b[0]&0xf) * 4
	if n < 20 || n > len(b) {
		return nil
	}
	return b[n:]
}

// checksum is the Internet checksum, RFC 1071.
func checksum(b []byte) uint16 {
	var sum uint32
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
