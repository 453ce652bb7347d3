package fleet

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/tune/outcome"
)

// Survey is what the paths of a fleet carry.
type Survey struct {
	// Mesh: between the hosts, and not from this one to each.
	Mesh  bool     `json:"mesh"`
	Hosts []string `json:"hosts"`
	Paths []Path   `json:"paths"`
}

// Path is one check of a path, or why there was none.
type Path struct {
	From string    `json:"from"` // local is this host
	To   string    `json:"to"`
	RTT  float64   `json:"rtt_s,omitempty"`
	Ways []PathWay `json:"ways"`
	// Record has what was seen; it is in this user's store.
	Record string `json:"record,omitempty"`
	// Error is what failed, with the next step.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// PathWay is one direction of a path: up is what From sends.
type PathWay struct {
	Direction  record.Direction `json:"direction"`
	Rate       float64          `json:"rate_bps"`     // of one stream
	Capacity   float64          `json:"capacity_bps"` // of the path; 0 where unknown
	Verdict    finding.Cause    `json:"verdict"`
	Confidence float64          `json:"confidence"`
	Summary    string           `json:"summary,omitempty"`
}

// Asked is what hosts answered to a verb: verify, status or revert.
type Asked struct {
	Verb    string   `json:"verb"`
	Answers []Reply  `json:"hosts"`
	Rollout *Rollout `json:"rollout,omitempty"` // the newest that has these hosts
}

// Reply is one host's.
type Reply struct {
	Host         string                `json:"host"`
	Target       string                `json:"target"`
	Status       *outcome.Status       `json:"status,omitempty"`
	Verification *outcome.Verification `json:"verification,omitempty"`
	Outcome      *outcome.Outcome      `json:"outcome,omitempty"`
	Error        string                `json:"error,omitempty"`
	Hint         string                `json:"hint,omitempty"`
}

// Failed says that the host is not as it should be, or did not answer.
func (r Reply) Failed() bool {
	return r.Error != "" || r.Verification != nil && len(r.Verification.Wrong) > 0 || r.Outcome != nil && len(r.Outcome.Left) > 0
}
