package record

// Beside is UDP and TCP in turns over one way at like rates: whether a network
// treats the one worse than the other.
type Beside struct {
	Direction Direction `json:"direction"`
	Address   string    `json:"address"`
	// Outside is true where the address is that of a tunnel's outer packets: the
	// path without the tunnel.
	Outside bool `json:"outside,omitempty"`
	// Tests are in order of time.
	Tests []BesideTest `json:"tests"`
}

// BesideTest is one of them.
type BesideTest struct {
	Protocol  Protocol `json:"protocol"`
	Started   float64  `json:"started_s"` // since the run began
	Duration  float64  `json:"duration_s"`
	Offered   float64  `json:"offered_bps,omitempty"` // payload; 0: as much as goes
	Delivered float64  `json:"delivered_bps"`         // payload that arrived
	// Packets were sent, and Lost of them did not arrive; of TCP they are
	// segments, those that it sent again being lost. -1: the sender did not tell.
	Packets int64 `json:"packets"`
	Lost    int64 `json:"lost"`
	// MSS is the bound that the test set on its segments, in bytes: outside a tunnel
	// that of the stream inside, where full ones had carried nothing. 0: none.
	MSS int `json:"mss_bytes,omitempty"`
}

// BesideIn is what was measured in a direction, inside or outside a tunnel; nil
// where nothing was.
func (r *Run) BesideIn(d Direction, outside bool) *Beside {
	for i := range r.Besides {
		if b := &r.Besides[i]; b.Direction == d && b.Outside == outside {
			return b
		}
	}
	return nil
}
