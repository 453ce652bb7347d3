package record

// PacketSizes is which ICMP echoes came back that nobody on the way may cut
// into fragments: what passes there and back.
type PacketSizes struct {
	Address string `json:"address"`
	// Outside is true for an address on the way of a tunnel's outer packets.
	Outside bool       `json:"outside,omitempty"`
	Sizes   []SizeSeen `json:"sizes"`
}

// SizeSeen is what came of the echoes of one size.
type SizeSeen struct {
	Size     int `json:"size_bytes"` // of the IP packet
	Sent     int `json:"sent"`
	Answered int `json:"answered"`
	// TooBig counts those that a host refused, this one or, by an ICMP message,
	// one on the way: path MTU discovery works.
	TooBig int `json:"too_big,omitempty"`
}

// Largest is the largest packet that passed, and Least the smallest above it
// that vanished without a word; 0 where there is none.
func (p PacketSizes) Largest() (passed, vanished int) {
	for _, s := range p.Sizes {
		if s.Answered > 0 {
			passed = max(passed, s.Size)
		}
	}
	for _, s := range p.Sizes {
		if s.Size > passed && s.Answered == 0 && s.TooBig == 0 && (vanished == 0 || s.Size < vanished) {
			vanished = s.Size
		}
	}
	return passed, vanished
}

// SegmentTest is one TCP test of streams whose segments differ in size, side by
// side in the same seconds.
type SegmentTest struct {
	Direction Direction       `json:"direction"`
	Started   float64         `json:"started_s"` // since the run began
	Duration  float64         `json:"duration_s"`
	Streams   []SegmentStream `json:"streams"`
}

// SegmentStream is one of them.
type SegmentStream struct {
	// MSS is the bound that this host's socket was given, and advertised; 0 is
	// the path's own.
	MSS int `json:"mss_bytes"`
	// Segment is the payload of a full segment as the socket has it, 0 where it
	// is not known, and PMTU what the socket takes for the path's MTU.
	Segment int   `json:"segment_bytes,omitempty"`
	PMTU    int   `json:"pmtu_bytes,omitempty"`
	Bytes   int64 `json:"arrived_bytes"` // payload that reached the receiver
	Resent  int64 `json:"retransmits"`   // -1 where the sender cannot tell
}

// Passed says that full segments arrived: more than one.
func (s SegmentStream) Passed() bool { return s.Bytes > int64(max(s.Segment, s.MSS, leastSegment)) }

// leastSegment is the MSS that every host takes (RFC 9293 §3.7.1).
const leastSegment = 536

// Largest is the largest bound whose stream's segments arrived, 0 for none, and
// whether the stream without a bound stood still meanwhile.
func (t SegmentTest) Largest() (mss int, fullVanished bool) {
	for _, s := range t.Streams {
		if s.MSS == 0 {
			fullVanished = !s.Passed()
		} else if s.Passed() {
			mss = max(mss, s.MSS)
		}
	}
	return mss, fullVanished
}

// LastSegmentTest is the direction's last one, nil for none.
func (r *Run) LastSegmentTest(d Direction) *SegmentTest {
	for i := len(r.SegmentTests) - 1; i >= 0; i-- {
		if r.SegmentTests[i].Direction == d {
			return &r.SegmentTests[i]
		}
	}
	return nil
}
