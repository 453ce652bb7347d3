package datagram

import "testing"

// A stock server that reads a repeated opening as data must not count it.
func TestRepeatedOpeningIsNoPacket(t *testing.T) {
	h, ok := ParseHeader(Hello(), true)
	if ok || h.Seq != 0 {
		t.Errorf("it is packet %d", h.Seq)
	}
}
