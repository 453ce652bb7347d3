package echo

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

var (
	v4 = netip.MustParseAddr("192.0.2.1")
	v6 = netip.MustParseAddr("2001:db8::1")
)

func TestRequestBytes(t *testing.T) {
	tok := token{1, 2, 3, 4, 5, 6, 7, 8}
	// The checksum of the first was computed by hand from RFC 1071.
	for _, c := range []struct {
		addr netip.Addr
		want string
	}{
		{v4, "0800" + "9554" + "1234" + "4063" + "0102030405060708" + "00"},
		{v6, "8000" + "0000" + "1234" + "4063" + "0102030405060708" + "00"},
	} {
		got := hex.EncodeToString(request(nil, c.addr, 0x1234, 0x4063, tok, 9))
		if got != c.want {
			t.Errorf("request to %s = %s, want %s", c.addr, got, c.want)
		}
	}
	if sum := checksum(request(nil, v4, 7, 8, tok, 57)); sum != 0 {
		t.Errorf("checksum over a checksummed message = %#x, want 0", sum)
	}
}

// answerTo turns a request into the reply that a host sends.
func answerTo(addr netip.Addr, tok token, seq uint16) []byte {
	b := request(nil, addr, 1, seq, tok, 16)
	b[0] = reply6
	if addr.Is4() {
		b[0] = reply4
	}
	return b
}

func TestReply(t *testing.T) {
	tok, other := token{1}, token{2}
	header := append([]byte{0x45}, make([]byte, 19)...)
	for _, c := range []struct {
		name string
		b    []byte
		addr netip.Addr
		ok   bool
	}{
		{"IPv4", answerTo(v4, tok, 99), v4, true},
		{"IPv4 with its header", append(header, answerTo(v4, tok, 99)...), v4, true},
		{"IPv6", answerTo(v6, tok, 99), v6, true},
		{"another series", answerTo(v4, other, 99), v4, false},
		{"a request", request(nil, v4, 1, 99, tok, 16), v4, false},
		{"of the other family", answerTo(v6, tok, 99), v4, false},
		{"truncated in the token", answerTo(v4, tok, 99)[:headerSize+tokenSize-1], v4, false},
		{"truncated in the header", answerTo(v6, tok, 99)[:3], v6, false},
		{"truncated IPv4 header", header[:12], v4, false},
		{"IPv4 header of no length", []byte{0x40, 0, 0}, v4, false},
		{"nothing", nil, v4, false},
	} {
		seq, ok := reply(c.b, c.addr, tok)
		if ok != c.ok || ok && seq != 99 {
			t.Errorf("%s: %d, %v", c.name, seq, ok)
		}
	}
}

func FuzzReply(f *testing.F) {
	tok := token{1}
	f.Add(answerTo(v4, tok, 3), true)
	f.Add(answerTo(v6, tok, 3), false)
	f.Add([]byte{0x4f, 0, 0}, true)
	f.Fuzz(func(t *testing.T, b []byte, is4 bool) {
		addr := v6
		if is4 {
			addr = v4
		}
		if _, ok := reply(b, addr, tok); ok && len(b) < headerSize+tokenSize {
			t.Errorf("accepted %x", b)
		}
	})
}
