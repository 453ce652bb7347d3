package record

// Packets is what a connection's sender saw of its packets, from their headers: when
// each part of the data was known to have arrived, and what was sent again. Columns
// of one table have the same length; times are in whole microseconds.
type Packets struct {
	// After is the time from the first look to the first packet, in seconds. Times
	// since the beginning are since then.
	After float64 `json:"after_s"`
	// SegmentSize is the most payload of a segment, in bytes.
	SegmentSize int `json:"segment_bytes"`

	// Acknowledgements; those of 0.2 ms are one. Each tells the time since the one
	// before, how many bytes are known to have arrived by it, how long the youngest
	// segment of them had been on its way (0 where it was sent twice), and how many
	// bytes were on their way when that left.
	Gap    []int32 `json:"ack_gap_us"`
	Bytes  []int32 `json:"ack_bytes"`
	RTT    []int32 `json:"ack_rtt_us"`
	Flight []int32 `json:"ack_flight_bytes"`

	// Segments that were sent again, each once: when it was sent first, since the
	// beginning, how long after that again, and how many bytes were on their way
	// when it was sent first.
	LostAt     []int32 `json:"resent_at_us,omitempty"`
	LostAgain  []int32 `json:"resent_after_us,omitempty"`
	LostFlight []int32 `json:"resent_flight_bytes,omitempty"`

	// Missed is how many packets the kernel had no room for.
	Missed int `json:"missed,omitempty"`
	// Cut is true where there were too many to keep: the columns end early.
	Cut bool `json:"cut,omitempty"`
}
