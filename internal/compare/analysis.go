package compare

import "unchoke/internal/stats"

// Analysis is what can be said of a comparison.
type Analysis struct {
	Blocks    int        `json:"blocks"` // complete ones; the others are left out
	Arms      []Summary  `json:"arms"`
	Contrasts []Contrast `json:"contrasts"`         // every arm but the first against the first
	Stopped   Stop       `json:"stopped,omitempty"` // empty while it runs
	Warnings  []string   `json:"warnings,omitempty"`
}

// Stop is why a comparison ended.
type Stop string

const (
	Firm        Stop = "firm"        // every contrast has an answer that more blocks would not change
	Fixed       Stop = "fixed"       // the number of blocks asked for
	Exhausted   Stop = "exhausted"   // the most blocks allowed, without a firm answer
	Interrupted Stop = "interrupted" // an error or the user
)

// Summary is one arm over the complete blocks. Figures are medians over trials
// unless they say otherwise.
type Summary struct {
	Arm      int            `json:"arm"`
	Label    string         `json:"label"` // what differs from the other arms, in words
	Rate     float64        `json:"rate_bps"`
	Interval stats.Interval `json:"rate_interval_bps"` // of the median: bootstrap, 95 %
	Rates    []float64      `json:"block_rates_bps"`   // of each complete block
	// CV is the standard deviation over the mean of the trials' rates; 0 for
	// fewer than two.
	CV          float64 `json:"cv_ratio"`
	Retransmits float64 `json:"retransmit_ratio"` // over all trials, of segments; -1 unknown
	RTTLoad     float64 `json:"rtt_load_s,omitempty"`
	CPUNear     float64 `json:"cpu_near_s_per_gb,omitempty"`
	CPUFar      float64 `json:"cpu_far_s_per_gb,omitempty"`
	// Drift is the trend of the rate over the run, as the ratio of its end to
	// its beginning; DriftP the probability of so clear a trend by chance.
	Drift  float64 `json:"drift_ratio"`
	DriftP float64 `json:"drift_p"`
	// Bimodal: the rates come from two modes, far apart, so that no single
	// figure describes the arm.
	Bimodal bool `json:"bimodal"`
	// Jain is Jain's fairness index of the arm and its neighbour, where one ran.
	Jain         float64 `json:"jain_index,omitempty"`
	NeighborRate float64 `json:"neighbor_rate_bps,omitempty"`
}

// Answer is what a contrast comes to. The first three are firm.
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
	Arm    int       `json:"arm"`
	Blocks int       `json:"blocks"`
	Ratio  float64   `json:"ratio"`        // median of the blocks' rate ratios, arm over baseline; 0 without blocks
	Ratios []float64 `json:"block_ratios"` // of each complete block
	// Interval of the ratio: 95 % for all contrasts together, in spite of
	// peeking, if the arms differ by a factor alone; where their noise differs in
	// shape, it may leave the median out more often. It holds every ratio that the
	// stopping rule has not ruled out, so it excludes 1 if and only if the answer is faster, slower, or an
	// equivalence so exact that even the small difference is certain. Until
	// the first look nothing is ruled out: [0, ∞], in JSON [0, null].
	Interval stats.Interval `json:"interval"`
	// Bootstrap interval of the median ratio, 95 %, percentile. It takes no
	// account of peeking or of other contrasts; it describes, the answer does
	// not rest on it.
	Bootstrap stats.Interval `json:"bootstrap_interval"`
	// P is the two-sided p of the sequential sign-flip permutation test of the
	// log-ratios, exact, times the number of contrasts. It is below 0.05 if and
	// only if Interval excludes 1.
	P        float64 `json:"p"`
	Answer   Answer  `json:"answer"`
	Sentence string  `json:"sentence"` // the verdict in one sentence
}
