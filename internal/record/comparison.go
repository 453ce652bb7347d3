package record

import "time"

// ComparisonSchema names this version of a comparison's format.
const ComparisonSchema = "unchoke.comparison/1"

// Comparison is one run of `unchoke ab`: two or more arms, interleaved on the
// same path in randomized blocks.
type Comparison struct {
	Schema  string           `json:"schema"`
	ID      string           `json:"id"`
	Started time.Time        `json:"started"`
	Version string           `json:"version"` // of unchoke
	Target  string           `json:"target"`  // as the user gave it
	Config  ComparisonConfig `json:"config"`

	Arms []Arm  `json:"arms"` // the first is the baseline
	Near Host   `json:"near"`
	Far  []Peer `json:"far"` // one for each target among the arms, in order of first use

	// Trials stand in the order in which they ran. The last block may be
	// incomplete: an analysis leaves it out.
	Trials []Trial `json:"trials"`
	// Predicted is what a check of the same target had predicted for arms, before
	// any of them was tried.
	Predicted []Predicted `json:"predicted,omitempty"`
	// Error is what ended the run early; what was measured before stands.
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// ComparisonConfig is what the user asked of a comparison, with the defaults
// filled in. The same seed gives the same order of trials.
type ComparisonConfig struct {
	Seed      uint64  `json:"seed"`
	Blocks    int     `json:"blocks,omitempty"` // fixed; 0: until the answer is firm
	MaxBlocks int     `json:"max_blocks"`
	Duration  float64 `json:"duration_s"` // of a trial, slow start included
	Omit      float64 `json:"omit_s"`     // dropped from its beginning as slow start
	Pause     float64 `json:"pause_s"`    // between two trials
	// Margin is the difference that is too small to matter, as a ratio: 0.05
	// is 5 % either way. 0 stands for 0.05.
	Margin   float64 `json:"margin_ratio,omitempty"`
	Neighbor *Arm    `json:"neighbor,omitempty"`
}

// Arm is one side of a comparison: what differs from the others. A zero field
// is each host's own default.
type Arm struct {
	Name      string    `json:"name"`         // as text: cc=bbr,target=far.underlay
	CC        string    `json:"cc,omitempty"` // of the sender
	Window    int64     `json:"window_bytes,omitempty"`
	Streams   int       `json:"streams,omitempty"`
	Target    string    `json:"target,omitempty"` // host[:port] or URL instead of the comparison's
	Direction Direction `json:"direction,omitempty"`
}

// Trial is one measurement of one arm.
type Trial struct {
	Block    int     `json:"block"` // from 0
	Arm      int     `json:"arm"`   // index into Comparison.Arms
	Started  float64 `json:"started_s"`
	Duration float64 `json:"duration_s"` // that the figures below cover: without what was omitted

	Rate  float64 `json:"rate_bps"` // goodput at the receiver, all streams together
	Bytes int64   `json:"bytes"`
	CC    string  `json:"cc,omitempty"` // that the sender really used; empty where it cannot be known
	// Retransmits, over the same seconds as Bytes where the sender tells them
	// apart; -1 where it cannot tell at all.
	Retransmits int64 `json:"retransmits"`
	MSS         int   `json:"mss_bytes,omitempty"` // payload of a full segment; 0 where unknown

	RTTMin  float64 `json:"rtt_min_s,omitempty"`
	RTTLoad float64 `json:"rtt_load_s,omitempty"` // median of echoes beside the trial, else of TCP_INFO
	RTTP95  float64 `json:"rtt_load_p95_s,omitempty"`

	CPUNear float64 `json:"cpu_near_ratio,omitempty"` // of one core
	CPUFar  float64 `json:"cpu_far_ratio,omitempty"`

	// Neighbor is the flow that ran beside the trial, if one was asked for.
	Neighbor *Neighbor `json:"neighbor,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
}

// Neighbor is a second flow beside a trial, over the same seconds.
type Neighbor struct {
	CC   string  `json:"cc,omitempty"`
	Rate float64 `json:"rate_bps"`
}
