//go:build !slim

package view

import (
	"unchoke/internal/flow/packets"
	"unchoke/internal/record"
)

// interleaved is the rate of a line in bit/s on which others' packets come between the
// stream's, found by the instants at which those arrive: nobody but others fills the slots
// between them where UDP above the ceiling, which leaves no slot empty, gets far less than
// the line. A policer leaves slots empty, whoever sends.
func (v *View) interleaved() (line float64, found bool) {
	_, met := v.Ceiling()
	if _, policed := v.Policer(); v.Dir != record.Down || !met || policed {
		return 0, false
	}
	s, found := packets.SlotsOf(packets.Started(v.One.Packets))
	if !found || min(s.Next, s.Later) < inTurn {
		return 0, false
	}
	line = 8 * float64(v.One.Packets.SegmentSize) / s.Length
	return line, line >= GainMatters*v.Capacity
}

// inTurn of the packets, at the least, come next to another one, and as many do not. Of some
// 850 kept downloads 5 are like that, and all 5 are slow for others.
const inTurn = 0.15
