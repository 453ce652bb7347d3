package packets

import (
	"math"
	"slices"

	"unchoke/internal/record"
)

// SlotsOf looks for slots in what a receiver saw of a stream; nil where its packets came in
// between, or together, as where radio gathers them, or were too few to tell.
func SlotsOf(p *record.Packets) *record.Slots { return Slots(lone(p), leastArrival) }

// Slots looks for slots in the gaps in microseconds between packets that were sent one after
// the other; none is as short as least, where those that came closer are one arrival.
func Slots(gaps []float64, least float64) *record.Slots {
	if len(gaps) < leastSlots {
		return nil
	}
	slot := shortest(gaps)
	next, later, between, mixed := 0, 0, 0, 0
	last := 0.0
	for _, gap := range gaps {
		n := math.Round(gap / slot)
		switch {
		case n > mostSlots:
			last = 0
			continue // nothing came for a while
		case n < 1, math.Abs(gap-n*slot) > slotError*slot:
			between++
			continue
		case n == 1:
			next++
		default:
			later++
		}
		if last > 0 && (n == 1) != (last == 1) {
			mixed++
		}
		last = n
	}
	all := float64(len(gaps))
	s := record.Slots{Length: slot / 1e6, Next: float64(next) / all, Later: float64(later) / all}
	// In random order 2·Next·Later of all neighbours differ. A line that has one rate, and then
	// another, sorts them.
	inTurns := float64(mixed) >= s.Next*s.Later*all
	if slot < least || float64(between) > mostBetween*all || !inTurns {
		return nil
	}
	return &s
}

// lone are the gaps in microseconds before packets that came alone; nothing where many
// did not.
func lone(p *record.Packets) []float64 {
	if p == nil || len(p.Gap) == 0 {
		return nil
	}
	var out []float64
	for i := 1; i < min(len(p.Gap), len(p.Bytes)); i++ {
		if int(p.Bytes[i]) == p.SegmentSize {
			out = append(out, float64(p.Gap[i]))
		}
	}
	if float64(len(out)) < mostlyLone*float64(len(p.Gap)) {
		return nil
	}
	return out
}

// shortest is what most of the short gaps are, in microseconds.
func shortest(gaps []float64) float64 {
	sorted := slices.Sorted(slices.Values(gaps))
	least := sorted[len(sorted)/shortRank]
	end := 0
	for end < len(sorted) && sorted[end] <= (1+slotError)*least {
		end++
	}
	return sorted[end/2]
}

const (
	leastSlots   = 150
	shortRank    = 20   // a twentieth of the gaps is shorter
	slotError    = 0.12 // of a slot: a header's options, a host's clock
	mostSlots    = 8
	leastArrival = 205.0 // microseconds: what comes within 200 is one arrival (record.Packets)
	mostlyLone   = 0.9
	mostBetween  = 0.03
)
