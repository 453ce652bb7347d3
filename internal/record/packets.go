//go:build !slim

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

	// Gap, Bytes, RTT and Flight are a row for each arrival; those within 0.2 ms are
	// one. At the sender they are acknowledgements, at the receiver packets. Gap is the
	// time since the one before, in microseconds.
	Gap []int32 `json:"gap_us"`
	// Bytes is how many arrived, or were known to have, by it.
	Bytes []int32 `json:"bytes"`
	// RTT is the round trip of the youngest segment of them, in microseconds; 0 where it
	// is not known, as of what was sent twice. At the receiver it is from the
	// acknowledgement that the packet answers, by its time stamp (RFC 7323), and as
	// coarse as this host's clock of them, mostly 1 ms.
	RTT []int32 `json:"rtt_us"`
	// Flight is how many bytes were on their way when that segment left, with it.
	Flight []int32 `json:"flight_bytes"`

	// LostAt, LostAgain and LostFlight are a row for each segment that was sent again,
	// however often. LostAt is when it was sent first, in microseconds since the
	// beginning; at the receiver, when the packet before it was.
	LostAt []int32 `json:"lost_at_us,omitempty"`
	// LostAgain is how long after that it was sent again, in microseconds; at the
	// receiver, how long after the gap showed it came.
	LostAgain []int32 `json:"lost_after_us,omitempty"`
	// LostFlight is how many bytes were on their way when it was sent first, with it.
	LostFlight []int32 `json:"lost_flight_bytes,omitempty"`

	// Missed is how many packets the kernel had no room for.
	Missed int `json:"missed,omitempty"`
	// Cut is true where there were too many to keep: the columns end early.
	Cut bool `json:"cut,omitempty"`
}
