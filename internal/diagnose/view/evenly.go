//go:build !slim

package view

import "unchoke/internal/diagnose/seen"

// DelaysEvenly says that the delays of packets which overtake each other lie evenly between
// the least and the most: the 95th percentile of a uniform distribution is nearly its
// maximum, nine tenths of the way there from its median. Of a normal one it is half of the
// way, for some hundred packets and more. It is asked of what this host timed, in the rung
// below the ceiling that has most packets.
func (v *View) DelaysEvenly() bool {
	most := seen.Rung{Packets: evenlyPackets}
	for _, r := range v.Rungs {
		if r.Timed && r.Reordered > 0 && r.Lost == 0 && r.Packets >= most.Packets && !r.Overloaded(v.Rungs) {
			most = r
		}
	}
	return most.Longest > 0 && most.OwnMost-most.Own >= evenly*(most.Longest-most.Own)
}

const (
	evenlyPackets = 150
	// evenly: of 5 kept directions with a uniform delay all have 0.84 and more, of 9 with a
	// normal one or one with a long tail none has more than 0.72.
	evenly = 0.79
)
