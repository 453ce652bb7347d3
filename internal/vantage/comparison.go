package vantage

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Observed is what was seen from one place.
type Observed struct {
	Name     string
	Runs     []*record.Run // by round; nil where the round failed
	Failures []Failure
}

// Failure is a check that brought no record, or not all of one.
type Failure struct {
	Round int    `json:"round"` // from 1
	Error string `json:"error"`
}

// Comparison is what the places say together.
type Comparison struct {
	Target string `json:"target"`
	Rounds int    `json:"rounds"`
	Places []Seen `json:"places"`
	// Shared are the causes that all places have, Differences those that some
	// have and others not; the surest first.
	Shared      []Insight `json:"shared"`
	Differences []Insight `json:"differences"`
	// Warnings are what makes the comparison less certain: time that does more
	// than place, places that disagree with themselves.
	Warnings []string `json:"warnings"`
}

// Insight is one cause and the segment where it lies.
type Insight struct {
	// Cause is a diagnosis's; empty where places differ in rate and each fills its
	// path, so that no cause but the rate of a segment is there.
	Cause      finding.Cause      `json:"cause,omitempty"`
	Directions []record.Direction `json:"directions"`
	Segment    Segment            `json:"segment"`
	// Affected places have it, Clean ones clearly not; the others' checks would
	// not have shown it.
	Affected []string `json:"affected"`
	Clean    []string `json:"clean"`
	Silent   []string `json:"silent"`
	// Candidates are the segments where it may lie, if there are several.
	Candidates []Segment `json:"candidates"`
	Confidence float64   `json:"confidence"` // 0 to 1
	Summary    string    `json:"summary"`
	Why        []string  `json:"why"`
}

// Fault says that the insight is of something to fix. A segment that merely
// carries less than others is as it may have to be.
func (i Insight) Fault() bool { return i.Cause.Fault() && i.Cause != "" }

// Compare puts the places' checks together.
func Compare(target string, rounds int, places []Observed) Comparison {
	c := Comparison{
		Target: target, Rounds: rounds,
		Places: []Seen{}, Shared: []Insight{}, Differences: []Insight{}, Warnings: []string{},
	}
	var views []*view
	for _, o := range places {
		v := newView(o)
		views = append(views, v)
		c.Places = append(c.Places, v.seen)
	}
	s := newSurvey(views)
	for i, v := range views {
		c.Places[i].Passes = s.net.names(v)
		c.Places[i].How = s.net.how[v]
	}
	all := merged(append(s.symptoms(), s.rateDifferences()...))
	for _, x := range all {
		if len(x.Clean) == 0 && len(x.Silent) == 0 && len(x.Affected) == len(s.views) {
			c.Shared = append(c.Shared, x)
		} else {
			c.Differences = append(c.Differences, x)
		}
	}
	c.Warnings = append(c.Warnings, s.warnings()...)
	return c
}

// Measured is how many places were measured at all.
func (c Comparison) Measured() int {
	n := 0
	for _, p := range c.Places {
		if len(p.Ways) > 0 {
			n++
		}
	}
	return n
}
