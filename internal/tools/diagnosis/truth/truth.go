// Package truth finds out what slows a stream of stock iperf3 down on a lab
// path: it runs on the path as it is, and again with each impairment taken
// away. What the stream gains says which of them matter. No rule of the
// diagnosis has a part in it.
package truth

import (
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/draw"
)

// A cause is one where the stream gains a third or more without it. Medians of
// three runs scatter, so between Unsure and Sure either answer is accepted.
const (
	Matters = 4.0 / 3
	Unsure  = 1.2
	Sure    = 1.5
)

// Bufferbloat is defined: under load the RTT is more than twice the idle one
// and 100 ms above it. An eighth around that either answer is accepted.
const (
	bloatRatio  = 2
	bloatExcess = 0.100 // s
	bloatMargin = 1.125
)

// Truth is what was found out about a path.
type Truth struct {
	Seen map[draw.Direction]Seen `json:"seen"`
	// Tried is every counterfactual.
	Tried []Tried `json:"tried"`
	// Causes are certain. Without any the path is healthy.
	Causes []Cause `json:"causes"`
	// Perhaps are causes that may be named and need not.
	Perhaps []Cause `json:"perhaps"`
	// Unexplained says that a stream is far below what the path lets pass and
	// that nothing taken away helped.
	Unexplained bool `json:"unexplained,omitempty"`
}

// Seen is one direction of the path as it is: medians of its runs.
type Seen struct {
	Rate    float64 `json:"rate_bps"`
	Early   float64 `json:"early_bps"`
	IdleRTT float64 `json:"idle_rtt_s"`
	LoadRTT float64 `json:"load_rtt_s"`
	Runs    []Run   `json:"runs"`
}

// Tried is a counterfactual and what it gained.
type Tried struct {
	Name      string         `json:"name"`
	Direction draw.Direction `json:"direction"`
	Gain      float64        `json:"gain"`
	Bound     bool           `json:"bound,omitempty"` // not run: the gain is at most this
	Runs      []Run          `json:"runs,omitempty"`
}

// Cause is one that matters, with the words that name it.
type Cause struct {
	Name      string          `json:"name"` // a row of draw.Words
	Words     []finding.Cause `json:"words"`
	Direction draw.Direction  `json:"direction"`
	Gain      float64         `json:"gain,omitempty"`
}

func named(name string, way draw.Direction, gain float64) Cause {
	return Cause{name, draw.Words[name].Causes, way, gain}
}

// Borderline says that whether the path is healthy depends on where exactly
// the line is drawn.
func (t Truth) Borderline() bool {
	return len(t.Causes) == 0 && (len(t.Perhaps) > 0 || t.Unexplained)
}

// Leading is the word that tables show: of what gains most.
func (t Truth) Leading() finding.Cause {
	if len(t.Causes) == 0 {
		return finding.Healthy
	}
	return slices.MaxFunc(t.Causes, func(a, b Cause) int {
		switch {
		case a.Gain < b.Gain:
			return -1
		case a.Gain > b.Gain:
			return 1
		}
		return 0
	}).Words[0]
}

// Right says whether a verdict is one of the path's truths.
func (t Truth) Right(verdict finding.Cause) bool {
	if verdict == finding.Healthy {
		return len(t.Causes) == 0
	}
	if t.Unexplained && len(t.Causes) == 0 {
		return true // nobody knows better
	}
	return slices.ContainsFunc(slices.Concat(t.Causes, t.Perhaps), func(c Cause) bool {
		return slices.Contains(c.Words, verdict)
	})
}

// Distinct are the certain causes that are different words.
func (t Truth) Distinct() []Cause {
	var out []Cause
	for _, c := range t.Causes {
		if !slices.ContainsFunc(out, func(o Cause) bool { return slices.Equal(o.Words, c.Words) }) {
			out = append(out, c)
		}
	}
	return out
}

// Unnamed are the certain causes that are not among the findings.
func (t Truth) Unnamed(findings []finding.Cause) []Cause {
	return slices.DeleteFunc(t.Distinct(), func(c Cause) bool {
		return slices.ContainsFunc(c.Words, func(w finding.Cause) bool { return slices.Contains(findings, w) })
	})
}
