// Package table arranges the flows of snapshots: sorted by a column, grouped by
// who has them, closed ones kept for a while, with the figures of the last
// minutes for charts. It is pure: time is that of the snapshots. The terminal,
// the plain text and the exporter show what it arranges.
package table

import (
	"cmp"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// Pointers are the flows of a snapshot, to be sorted.
func Pointers(s *live.Snapshot) []*live.Flow {
	out := make([]*live.Flow, len(s.Flows))
	for i := range s.Flows {
		out[i] = &s.Flows[i]
	}
	return out
}

// By is what flows are grouped by.
type By string

// What a table can be grouped by.
const (
	ByProcess By = "process"
	ByUnit    By = "unit" // or the container
	ByRemote  By = "remote"
)

// Groupings are all.
var Groupings = []By{ByProcess, ByUnit, ByRemote}

// Of is the group of a flow; empty where its owner is not known.
func (by By) Of(f *live.Flow) string {
	switch by {
	case ByProcess:
		return f.Process
	case ByUnit:
		return cmp.Or(f.Unit, f.Container)
	case ByRemote:
		return f.Remote.Addr().Unmap().String()
	}
	return ""
}

// Group are the flows of one owner or to one peer, with sums.
type Group struct {
	Name           string
	Flows          []*live.Flow // in the table's order
	Sent, Received float64      // bit/s together, of those that are open
	// Verdicts counts the flows by verdict.
	Verdicts map[finding.Cause]int
}

// Groups makes groups of sorted flows. The group with the flow that comes first
// comes first.
func Groups(sorted []*live.Flow, by By) []*Group {
	var out []*Group
	index := map[string]*Group{}
	for _, f := range sorted {
		name := by.Of(f)
		g := index[name]
		if g == nil {
			g = &Group{Name: name, Verdicts: map[finding.Cause]int{}}
			index[name] = g
			out = append(out, g)
		}
		g.Flows = append(g.Flows, f)
		if !f.Closed {
			g.Sent += f.SentRate
			g.Received += f.ReceivedRate
		}
		g.Verdicts[f.Verdict]++
	}
	return out
}
