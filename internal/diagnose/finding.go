package diagnose

import "unchoke/internal/record"

// Cause says why one stream is slow. The words are the project's vocabulary;
// they stand in JSON and do not change.
type Cause string

const (
	Healthy       Cause = "healthy"
	LossLimited   Cause = "loss-limited"
	Reordering    Cause = "reordering"
	Policed       Cause = "policed"
	Bufferbloat   Cause = "bufferbloat"
	SendBuffer    Cause = "send-buffer"
	ReceiveWindow Cause = "receive-window"

	// Unclear is a verdict, never a finding: one stream is slow, and nothing
	// that was measured says why.
	Unclear Cause = "unclear"
)

// Finding is a cause with its evidence, its confidence and its remedies.
type Finding struct {
	Cause      Cause            `json:"cause"`
	Direction  record.Direction `json:"direction"`
	Confidence float64          `json:"confidence"` // 0 to 1
	Summary    string           `json:"summary"`
	Evidence   []Evidence       `json:"evidence"`
	Remedies   []Remedy         `json:"remedies"`

	// severity is the share of what the path can carry that one stream does
	// not get, or what the user suffers otherwise: findings are ordered by it.
	severity float64
}

// Evidence is one figure that a finding rests on.
type Evidence struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // bit/s, s, ratio, bytes, count
	// Source is where a formula comes from, for figures that are computed.
	Source string `json:"source,omitempty"`
}

// Where says on which host a remedy belongs.
type Where string

const (
	Sender   Where = "sender"
	Receiver Where = "receiver"
	Network  Where = "network"
)

// Remedy is one next step.
type Remedy struct {
	What    string `json:"what"`
	Where   Where  `json:"where"`
	Host    string `json:"host,omitempty"` // near or far
	Command string `json:"command,omitempty"`
}

const (
	bitRate = "bit/s"
	seconds = "s"
	ratio   = "ratio"
	bytes   = "bytes"
	count   = "count"
)
