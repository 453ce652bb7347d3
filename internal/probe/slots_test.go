//go:build !slim

package probe

import (
	"math"
	"testing"
	"time"

	"unchoke/iperf3"
)

// Of a flood, others' packets show where two that were sent one after the other come apart;
// not where what was between them was lost.
func TestSlots(t *testing.T) {
	trace := func(step func(i int) (seq uint64, slots int)) []iperf3.Packet {
		var out []iperf3.Packet
		p := iperf3.Packet{}
		for i := range 600 {
			seq, slots := step(i)
			p.Seq += seq
			p.Arrived += time.Duration(slots) * 386 * time.Microsecond
			out = append(out, p)
		}
		return out
	}
	s := slots(trace(func(i int) (uint64, int) { return 1, 1 + i*i%3 }))
	if s == nil || math.Abs(s.Length-386e-6) > 1e-9 || s.Next < 0.3 || s.Later < 0.3 {
		t.Errorf("others between: %+v", s)
	}
	policed := trace(func(i int) (uint64, int) { n := 1 + i*i%3; return uint64(n), n })
	if s := slots(policed); s == nil || s.Later > 0 {
		t.Errorf("dropped between: %+v", s)
	}
}
