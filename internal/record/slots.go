package record

// Slots are the times that one packet takes on a line which is busy all the time: packets
// come a whole number of them apart, one where they follow each other, more where others'
// packets of the same size are sent between them.
type Slots struct {
	Length float64 `json:"length_s"`
	// Next and Later are the shares of packets that came one slot after the packet before,
	// and several slots.
	Next  float64 `json:"next_ratio"`
	Later float64 `json:"later_ratio"`
}
