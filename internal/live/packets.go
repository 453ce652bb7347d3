//go:build !slim

package live

// Packets are what a connection's packets tell, by their headers, in the direction
// that carries most. Their times are exact where TCP_INFO smooths.
type Packets struct {
	Arrivals int `json:"arrivals"` // 0: nobody read them
	// Passes is what the path lets through in one go, in bit/s of payload: the rate at
	// which trains of packets are known to arrive, of which a tenth is faster. Where the
	// stream fills its path it carries that much.
	Passes float64 `json:"passes_bps"`
	// Least is the least RTT, Wait the median above it, in seconds, and Sway how much
	// the RTT of an arrival differs from the one before it, at three quarters
	// of them.
	Least float64 `json:"least_rtt_s"`
	Wait  float64 `json:"wait_s"`
	Sway  float64 `json:"rtt_sway_s"`
	// Foreign is the share of the packets that waited for longer than all that this
	// connection had on its way takes to pass: others' packets were before them.
	Foreign float64 `json:"foreign_share"`
	// Together is the share of what arrived that one acknowledgement answered with at
	// least half of what was on its way, four segments or more.
	Together float64 `json:"answered_together_share"`
	// Silent is the longest time in which nothing arrived, in seconds.
	Silent float64 `json:"silent_s"`

	// Occasions are those on which something was sent again, those within one RTT are
	// one.
	Occasions int `json:"occasions"`
	// Waited is the share of all packets that waited less than the one that left just
	// before a lost one did, Filled the share of those with less on their way: the
	// medians of the occasions. Both are one half where chance decides, and near 1
	// where a queue overflows.
	Waited float64 `json:"waited_rank"`
	Filled float64 `json:"filled_rank"`
	// Burst is the share of all packets just before which less left than before the lost
	// one, within whichever span, a 64th to half of the least RTT, tells most: near 1
	// where bursts empty a bucket.
	Burst float64 `json:"burst_rank"`
	// Before is by how much the RTT of the packet before a lost one was above the least,
	// in seconds: the median of the occasions.
	Before float64 `json:"wait_before_loss_s"`
}
