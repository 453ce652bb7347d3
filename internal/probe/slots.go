//go:build !slim

package probe

import (
	"unchoke/internal/flow/packets"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// slots are those in which the packets of a rung came, of two that were sent one after the
// other: what the path dropped between others leaves a gap that nobody fills.
func slots(trace []iperf3.Packet) *record.Slots {
	var gaps []float64
	for i := 1; i < len(trace); i++ {
		if trace[i].Seq == trace[i-1].Seq+1 {
			gaps = append(gaps, float64((trace[i].Arrived-trace[i-1].Arrived).Nanoseconds())/1e3)
		}
	}
	return packets.Slots(gaps, leastSlot)
}

// leastSlot in microseconds is longer than a host's clock and its interrupts blur an arrival.
const leastSlot = 100
