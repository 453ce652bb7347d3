// Package watched judges one live connection by its own figures: a
// live.Flow of the last 30 s, and nothing else. It is the part of the diagnosis
// that package diagnose offers as Live.
//
// A check loads a path until it knows what the path carries; a live connection
// tells only what it did itself. So a rule here asks for the traces that a cause
// leaves in the sender's own TCP: what held it back, whether its rate is flat,
// whether a queue stands (the round trip against its least), whether what it
// lost explains its rate. Where two causes leave the same traces, the verdict
// is the likelier one with little confidence, or unclear.
package watched

import (
	"math"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// Judge fills a flow's Verdict, Confidence, Summary, Evidence, Warnings, Advice
// and Next from its other figures.
func Judge(f *live.Flow) {
	v := viewOf(f)
	s := v.verdict()
	s.addStops(v)
	f.Verdict, f.Confidence, f.Summary, f.Evidence = s.cause, math.Round(100*s.confidence)/100, s.summary, s.evidence
	f.Warnings = v.warnings()
	f.Advice, f.Next = v.guidance(s.cause)
}

// said is what a rule says of a flow.
type said struct {
	cause      finding.Cause
	confidence float64
	summary    string
	evidence   []finding.Evidence
}

// A rule looks for the traces of one cause; nil is "not here".
type rule func(*view) *said

// sending are the rules for a flow that this host sends. The first that finds
// decides: what holds a sender back outside the network explains its rate
// whatever the network does, and a full queue explains losses.
var sending = []rule{
	interrupted,
	unrepaired,
	appLimited,
	pacedBySocket,
	windowLimited,
	bufferLimited,
	nowAndThen,
	bloated,
	passing,
	crowded,
	reordered,
	sharing,
	overflowing,
	policed,
	emptied,
	filling,
	congested,
	overflowedAnyhow,
	marked,
	held,
	lossy,
	overflowed,
	speedingUp,
}

// verdict is what the first rule says that finds something.
func (v *view) verdict() said {
	if s := missing(v); s != nil {
		return *s
	}
	if why := v.watching(); why != "" {
		return said{cause: live.Watching, summary: why}
	}
	if !v.sends {
		return v.received()
	}
	for _, r := range sending {
		if s := r(v); s != nil {
			return *s
		}
	}
	return said{
		cause: finding.Unclear, confidence: 0.5,
		summary:  "The network holds this stream back at " + rate(v.rate) + ", and its own figures do not say why.",
		evidence: v.networkEvidence(),
	}
}
