package rules

import (
	"fmt"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Starved is the finding of a path on which no test came up, or of a direction whose one
// stream stood still, where most echo probes were lost before anything else was sent; nil
// elsewhere. A path that answers none may just not answer echo probes.
func Starved(r *record.Run, d record.Direction) *finding.Finding {
	came := "No test came up"
	if len(r.Transfers) > 0 {
		if seen.StillStream(r, d) == nil {
			return nil
		}
		came = "One stream stood still"
	}
	lost := seen.LostUnloaded(r)
	if lost.N < fairProbes/2 || lost.K == lost.N || lost.Mean() < mostLost {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Congested, Confidence: starvedSure, Severity: 1,
		Summary: fmt.Sprintf("%s: %d of %d echo probes were lost before anything else was sent. Other traffic that fills the path does that, or one way of it alone; a radio link that hardly holds looks the same.",
			came, lost.K, lost.N),
		Evidence: []finding.Evidence{
			{What: "echo probes lost without our load", Value: lost.Mean(), Unit: finding.Ratio},
		},
		Remedies: []finding.Remedy{{
			What:  "Find out what fills the path or drops its packets, and check again then: other traffic, also the acknowledgements of a fast download on a thin way back, traffic above a policer's rate, a bad radio link.",
			Where: finding.Network,
		}},
	}
}

const (
	// mostLost: TCP that loses half of its packets opens connections in vain.
	mostLost = 0.5
	// starvedSure: the three such paths that draws had were full of others' traffic.
	starvedSure = 0.6
)

// fairProbes are enough to see a loss of some percent without load.
const fairProbes = 50
