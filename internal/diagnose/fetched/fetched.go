// Package fetched judges a check of a URL: a record whose streams were received
// from a web server, and nothing else. It is the part of the diagnosis for
// records with a Fetch.
//
// The receiver sees what arrived and when, how large a window it offered, which
// packets came out of order, how long holes in the stream stayed open, and the
// round trip by probes beside. It does not see the sender: its congestion
// control, its buffer, whether its program had anything to send. So a rule asks
// for the traces that a cause leaves here, most of all by how several
// connections fare beside one: what holds each connection alone lets several
// carry several times as much; what the path sets, they share. Where two causes
// leave the same traces, the verdict is unclear and names both.
package fetched

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// A rule looks for one cause; nil is "not here".
type rule func(*view) *finding.Finding

// rules in order: the first that finds is the verdict. What holds a connection
// at either end explains its rate whatever the path does; a full queue explains
// losses.
var rules = []rule{
	receiveWindow,
	short,
	older,
	paused,
	reordered,
	congested,
	lossLimited,
	policed,
	heldAtServer,
	leftEarly,
	bloated,
	healthy,
}

// Diagnose returns what was found, the leading finding first. It is empty where
// nothing was received.
func Diagnose(r *record.Run) []finding.Finding {
	if f := hole(r); f != nil {
		return []finding.Finding{complete(*f)}
	}
	v := newView(r)
	if v == nil {
		return nil
	}
	for _, rule := range rules {
		if f := rule(v); f != nil {
			out := []finding.Finding{complete(*f)}
			if b := bloated(v); b != nil && f.Cause != finding.Bufferbloat {
				b.Severity = f.Severity / 2
				out = append(out, complete(*b))
			}
			return out
		}
	}
	return []finding.Finding{complete(*unclear(v))}
}

// complete fills in what is the same for all findings.
func complete(f finding.Finding) finding.Finding {
	f.Direction = record.Down
	f.Confidence = stats.Clamp(f.Confidence, 0.05, 0.95)
	if f.Remedies == nil {
		f.Remedies = []finding.Remedy{} // a list in JSON, if an empty one
	}
	for i := range f.Remedies {
		if f.Remedies[i].Host == "" {
			f.Remedies[i].Host = f.Remedies[i].Where.Host(record.Down)
		}
	}
	return f
}
