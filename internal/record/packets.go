package record

// Packets is what the headers of a connection's packets told, in the direction that
// carries most: when each part of the data arrived, or was known to have, and what
// did not. Columns of one table have the same length; times are in whole
// microseconds.
type Packets struct {
	// After is the time from the first look to the first packet, in seconds. Times
	// since the beginning are since then.
	After float64 `json:"after_s"`
	// SegmentSize is the most payload of a segment, in bytes.
	SegmentSize int `json:"segment_bytes"`

	// Arrivals; those of 0.2 ms are one. At the sender they are acknowledgements, at
	// the receiver the packets. Each tells the time since the one before, how many
	// bytes arrived, the round trip and how many bytes were on their way when the
	// youngest segment left. At the sender the round trip is that segment's; at the
	// receiver it is from the acknowledgement that the packet answers, by its time
	// stamp (RFC 7323), and as coarse as the peer's clock. It is 0 where it is not
	// known, as of what was sent twice.
	Gap    []int32 `json:"gap_us"`
	Bytes  []int32 `json:"bytes"`
	RTT    []int32 `json:"rtt_us"`
	Flight []int32 `json:"flight_bytes"`

	// Segments that were sent again, each once: when it was sent first, since the
	// beginning, how long after that again, and how many bytes were on their way when
	// it was sent first. At the receiver it was sent first when the packet before it
	// was, and again as long after that as it took from the gap to what fills it.
	LostAt     []int32 `json:"lost_at_us,omitempty"`
	LostAgain  []int32 `json:"lost_after_us,omitempty"`
	LostFlight []int32 `json:"lost_flight_bytes,omitempty"`

	// Missed is how many packets the kernel had no room for.
	Missed int `json:"missed,omitempty"`
	// Cut is true where there were too many to keep: the columns end early.
	Cut bool `json:"cut,omitempty"`
}
