// Package finding holds the values that a diagnosis yields: why one stream is
// slow, the evidence, and what to do about it. It also holds the table of all
// causes (table.go), which is everything that is known about a cause before
// any path is measured: its plain words, the comparison that proves it, the
// host that it belongs to and what a plan changes there. Diagnosis, plans and
// reports all read that table, so that a new cause begins with one rule in diagnose
// and one entry here; docs/hacking.md has what else may have to know it.
package finding

import (
	"slices"

	"unchoke/internal/record"
)

// Finding is a cause with its evidence, its confidence and its remedies.
type Finding struct {
	Cause      Cause            `json:"cause"`
	Direction  record.Direction `json:"direction"`
	Confidence float64          `json:"confidence"` // 0 to 1; a check's is the share of such verdicts that were right
	Summary    string           `json:"summary"`
	Evidence   []Evidence       `json:"evidence"`
	Remedies   []Remedy         `json:"remedies"` // the best first
	// Gain is what one stream would gain if this cause alone were taken away;
	// nil where nobody predicted it.
	Gain *Gain `json:"gain,omitempty"`

	// Severity is the share of the path's capacity that this cause keeps from
	// one stream, or what it costs the user otherwise, from 0 to 1.
	Severity float64 `json:"-"`
}

// Gain is the factor by which one stream's rate would grow, with its bounds.
type Gain struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// incomparable is for types that nobody compares: a router's binary is 9 KB smaller without
// the code that would.
type incomparable [0]func()

// Evidence is one figure that a finding rests on.
type Evidence struct {
	_ incomparable

	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  Unit    `json:"unit"`
	// Source is where a formula comes from, for figures that are computed.
	Source string `json:"source,omitempty"`
}

// Unit is what a piece of evidence is counted in.
type Unit string

const (
	BitRate Unit = "bit/s"
	Seconds Unit = "s"
	Ratio   Unit = "ratio"
	Bytes   Unit = "bytes"
	Count   Unit = "count" // -1: not known
)

// Verdict is the cause of the leading finding; unclear where there is none.
func Verdict(findings []Finding) Cause {
	if len(findings) == 0 {
		return Unclear
	}
	return findings[0].Cause
}

// Named says whether one of the findings has a cause.
func Named(findings []Finding, cause Cause) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Cause == cause })
}

// NamedAny says whether one of the findings names one of the causes.
func NamedAny(findings []Finding, causes ...Cause) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return slices.Contains(causes, f.Cause) })
}
