package rules

import (
	"fmt"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Starved is the finding of a path on which no test came up, or of a direction whose one
// stream stood still, where most echo probes were lost before anything else was sent, or
// waited in a queue that filled; nil elsewhere.
func Starved(r *record.Run, d record.Direction) *finding.Finding {
	came := "No test came up"
	if len(r.Transfers) > 0 {
		if seen.StillStream(r, d) == nil {
			return nil
		}
		came = "One stream stood still"
	}
	how, starved := flow.Starved(flow.Unloaded(r))
	if !starved {
		return nil
	}
	return &finding.Finding{
		Cause: finding.Congested, Confidence: starvedSure, Severity: 1,
		Summary: fmt.Sprintf("%s: %s before anything else was sent. Other traffic that fills the path does that, or one way of it alone; a radio link that hardly holds looks the same.",
			came, how),
		Evidence: []finding.Evidence{
			{What: "echo probes lost without our load", Value: seen.LostUnloaded(r).Mean(), Unit: finding.Ratio},
		},
		Remedies: []finding.Remedy{{
			What:  "Find out what fills the path or drops its packets, and check again then: other traffic, also the acknowledgements of a fast download on a thin way back, traffic above a policer's rate, a bad radio link.",
			Where: finding.Network,
		}},
	}
}

// starvedSure: the three such paths that draws had were full of others' traffic.
const starvedSure = 0.6
