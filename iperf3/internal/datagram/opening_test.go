package datagram

import (
	"testing"
	"time"
)

// A stock server that reads a repeated opening as data must not count it.
func TestRepeatedOpeningIsNoPacket(t *testing.T) {
	for size, p := range map[int][]byte{16: Hello(), 1400: HelloAgain(1400)} {
		if len(p) != size || !IsHello(p) {
			t.Errorf("%d bytes, an opening %v; want %d", len(p), IsHello(p), size)
		}
		for _, wide := range []bool{false, true} {
			if h, ok := ParseHeader(p, wide); ok || h.Seq != 0 {
				t.Errorf("of %d bytes it is packet %d", size, h.Seq)
			}
		}
	}
}

// A stock server reads an opening when the test begins, and then the first packet. They
// have the same transit time, but a packet does not look like an opening.
func TestOpeningsAndPacketsHaveOneClock(t *testing.T) {
	const rtt, began, offset = 300 * time.Millisecond, time.Second, time.Hour
	opening, _ := ParseHeader(HelloAgain(1400), false)
	for after := range 3 {
		sent := time.Duration(after) * 700 * time.Millisecond
		p := make([]byte, headerSize32)
		Header{Sent: Clock(rtt) + sent, Seq: 1}.Put(p, false)
		packet, _ := ParseHeader(p, false)
		if IsHello(p) {
			t.Errorf("what is sent after %v looks like an opening", sent)
		}
		transit := offset + began + rtt + sent - packet.Sent
		if d := transit - (offset + began - opening.Sent); d.Abs() > time.Millisecond {
			t.Errorf("what is sent after %v is %v longer under way than the opening", sent, d)
		}
	}
	var first [headerSize32]byte
	Header{Sent: Clock(0), Seq: 1}.Put(first[:], false)
	if IsHello(first[:]) {
		t.Error("the first packet of a path without delay looks like an opening")
	}
}
