//go:build !slim

package view

import (
	"unchoke/internal/flow/packets"
	"unchoke/internal/record"
)

// interleaved is the rate of a line in bit/s on which others' packets come between ours,
// found by the instants at which these arrive: nobody but others fills the slots between them
// where UDP above the ceiling, which leaves no slot empty, gets far less than the line. A
// policer leaves slots empty, whoever sends.
func (v *View) interleaved() (line float64, found bool) {
	_, met := v.Ceiling()
	if _, policed := v.Policer(); v.Dir != record.Down || !met || policed {
		return 0, false
	}
	if v.line == nil {
		v.line = new(sharedBy(v.One.Packets))
	}
	line = *v.line
	for _, r := range v.Overloads() {
		line = max(line, shared(r.Slots, r.Payload))
	}
	return line, line >= GainMatters*v.Capacity
}

// sharedBy is shared of the packets of a stream.
func sharedBy(p *record.Packets) float64 {
	if p = packets.Started(p); p == nil {
		return 0
	}
	return shared(packets.SlotsOf(p), p.SegmentSize)
}

// shared is the rate in bit/s of a line on which packets of a size come in slots, some next to
// another one and some not; 0 where they do not.
func shared(s *record.Slots, size int) float64 {
	if s == nil || min(s.Next, s.Later) < inTurn {
		return 0
	}
	return 8 * float64(size) / s.Length
}

// inTurn of the packets, at the least, come next to another one, and as many do not. Of some
// 850 kept downloads 5 are like that, and all 5 are slow for others.
const inTurn = 0.15
