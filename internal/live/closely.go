package live

// Closely is what only looks many times a second tell of a connection. Times are
// in seconds, rates in bit/s, shares of 1; all of it is lately.
type Closely struct {
	Looks int `json:"looks"` // 0: nobody looked so closely
	// Shut is the share of the looks at which there was data for the peer and its
	// window held less than two segments, and Shuts how often it came to that. Of
	// a receiver it is the window that it offers.
	Shut  float64 `json:"window_shut_share"`
	Shuts int     `json:"window_shuts"`
	// Unread is the share of the looks at which a receiver's program had left more
	// unread than the window that it could still offer.
	Unread float64 `json:"unread_share"`
	// Dips is the share of a sender's looks at which the peer's window lay below the
	// widest that it had offered by more than half of what was under way: what has
	// arrived is not read yet.
	Dips float64 `json:"window_dips_share"`

	// Dries is how often a sender had sent all that its program had given it, with
	// room for more in both windows and in its buffer, and DrySpan the time from the
	// first of these looks to the last: over it no more was sent than was given.
	Dries   int     `json:"dries"`
	DrySpan float64 `json:"dry_span_s"`

	// Typical is the median rate of a slot, and Step the median change from one
	// slot to the next over Typical: what holds a rate now and another later has a
	// small one, whatever its variation. A slot is half a second, or four round
	// trips. Both are 0 where there are too few.
	Typical float64 `json:"typical_bps"`
	Step    float64 `json:"step_share"`
	// Steady is true where Step is of use.
	Steady bool `json:"has_step"`

	Losses Losses `json:"losses"`
	Queue  Queue  `json:"queue"`

	// Packets are there where their headers were read.
	Packets Packets `json:"packets,omitzero"`
}

// Queue is how a sender's round trip moves with what it has under way, over looks
// at which it repairs no loss. Alone at a bottleneck that is full, the round trip is
// what is under way over the bottleneck's rate, so that one follows the other; where
// others fill the queue as well, it moves without.
type Queue struct {
	Looks int `json:"looks"` // 0: too few, or over too few round trips
	// Sway is the standard deviation of the round trip's logarithm.
	Sway float64 `json:"rtt_sway"`
	// Own is the share of its variance that what was under way a round trip before
	// explains (the square of the correlation of both logarithms).
	Own float64 `json:"rtt_own_share"`
}

// Losses are the occasions on which a sender lost something. What it resends
// within two round trips is one occasion; the end of its first slow start is none.
type Losses struct {
	N int `json:"occasions"`
	// Flight is the mean of the most that was under way before a loss, in segments,
	// and FlightCV its coefficient of variation: near 0 where what fits is what
	// decides, a fifth to a third where chance does (lab, draw 20261128). Both are 0
	// where it is not known, as on round trips shorter than looks are apart.
	Flight   float64 `json:"flight_segments"`
	FlightCV float64 `json:"flight_cv"`
	// RTT is the median of the round trip just before a loss.
	RTT float64 `json:"rtt_s"`
}
