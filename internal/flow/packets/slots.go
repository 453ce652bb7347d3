package packets

import (
	"math"
	"slices"

	"unchoke/internal/record"
)

// Slots are the times that one packet takes on a line which is busy all the time: a stream's
// packets come a whole number of them apart, one where they follow each other, more where
// others' packets of the same size are sent between them.
type Slots struct {
	Length float64 // seconds
	// Next and Later are the shares of packets that came one slot after the packet before,
	// and several slots.
	Next, Later float64
}

// SlotsOf looks for slots in what a receiver saw; found is false where packets came in
// between, or together, as where radio gathers them, or were too few to tell.
func SlotsOf(p *record.Packets) (s Slots, found bool) {
	gaps := lone(p)
	if len(gaps) < leastSlots {
		return s, false
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
	s = Slots{slot / 1e6, float64(next) / all, float64(later) / all}
	// In random order 2·Next·Later of all neighbours differ. A line that has one rate, and then
	// another, sorts them.
	inTurns := float64(mixed) >= s.Next*s.Later*all
	return s, slot >= leastSlot && float64(between) <= mostBetween*all && inTurns
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
	leastSlots  = 150
	shortRank   = 20   // a twentieth of the gaps is shorter
	slotError   = 0.12 // of a slot: a header's options, a host's clock
	mostSlots   = 8
	leastSlot   = 205.0 // microseconds: what comes within 200 is one arrival (record.Packets)
	mostlyLone  = 0.9
	mostBetween = 0.03
)
