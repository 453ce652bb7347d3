// Package compare decides in which order the arms of a comparison run, when
// enough was measured, and what can honestly be said of the result. It is
// pure: it is told how to run one trial.
package compare

import (
	"context"

	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Runner runs one trial of an arm. An error ends the comparison.
type Runner func(ctx context.Context, block, arm int) (record.Trial, error)

// Progress is how far a comparison has come, told after every trial.
type Progress struct {
	Trial    record.Trial // the one that just ended
	Complete int          // blocks, each arm once
	Analysis Analysis     // of the complete blocks
	// Expected is how many blocks the comparison will probably take, at least
	// Complete and at most MaxBlocks.
	Expected int
}

// Analysis is what can be said of a comparison.
type Analysis struct {
	Blocks    int        `json:"blocks"` // complete ones; the others are left out
	Arms      []Summary  `json:"arms"`
	Contrasts []Contrast `json:"contrasts"` // every arm but the first against the first
	Stopped   Stop       `json:"stopped"`
	Warnings  []string   `json:"warnings,omitempty"` // drift, two modes, few blocks, …
}

// Stop is why a comparison ended.
type Stop string

const (
	Firm        Stop = "firm"        // the answer will not change under the stopping rule
	Fixed       Stop = "fixed"       // the number of blocks asked for
	Exhausted   Stop = "exhausted"   // the most blocks allowed, without a firm answer
	Interrupted Stop = "interrupted" // an error or the user
)

// Summary is one arm over the complete blocks. Figures are medians over trials.
type Summary struct {
	Arm         int            `json:"arm"`
	Rate        float64        `json:"rate_bps"`
	Interval    stats.Interval `json:"rate_interval_bps"` // bootstrap, 95 %
	CV          float64        `json:"cv_ratio"`          // standard deviation over mean of the trials' rates
	Retransmits float64        `json:"retransmit_ratio"`  // of segments, estimated from bytes and MSS; -1 unknown
	RTTLoad     float64        `json:"rtt_load_s,omitempty"`
	CPUNear     float64        `json:"cpu_near_s_per_gb,omitempty"`
	CPUFar      float64        `json:"cpu_far_s_per_gb,omitempty"`
	// Drift is the trend of the log rate over the run, as the ratio of its end
	// to its beginning; DriftP the probability of such a trend by chance.
	Drift   float64 `json:"drift_ratio"`
	DriftP  float64 `json:"drift_p"`
	Bimodal bool    `json:"bimodal"`
	// Jain is Jain's fairness index of the arm and its neighbour, where one ran.
	Jain         float64 `json:"jain_index,omitempty"`
	NeighborRate float64 `json:"neighbor_rate_bps,omitempty"`
}

// Answer is what a contrast comes to.
type Answer string

const (
	Faster     Answer = "faster"     // than the baseline
	Slower     Answer = "slower"     // than the baseline
	Equivalent Answer = "equivalent" // no difference larger than the margin
	Unclear    Answer = "unclear"    // a difference may or may not be there
	Unstable   Answer = "unstable"   // the path varies too much to say
)

// Contrast is an arm against the baseline, paired by block.
type Contrast struct {
	Arm      int            `json:"arm"`
	Blocks   int            `json:"blocks"`
	Ratio    float64        `json:"ratio"`    // median of the blocks' rate ratios, arm over baseline
	Interval stats.Interval `json:"interval"` // of the ratio, 95 %, true in spite of peeking
	P        float64        `json:"p"`        // exact sign-flip permutation test of the log-ratios, two-sided
	Answer   Answer         `json:"answer"`
	Sentence string         `json:"sentence"` // the verdict in one sentence
}
