// Package filter reads the FILTER of `unchoke watch`: the grammar of ss, with
// keys for what ss does not have, as rate > 1mbit or verdict = loss-limited.
//
//	filter    = [ predicate { [ "and" | "or" ] predicate } ]
//	predicate = "not" predicate | "(" filter ")" | KEY [ OP ] VALUE
//	OP        = "=" | "!=" | "<" | ">" | "<=" | ">="
//
// As ss does (misc/ssfilter.y of iproute2), it reads from left to right: "and"
// binds no tighter than "or", whatever ss's manual says, and no operator is
// "and". "state A state B" is either, "exclude A" all states but one.
package filter

import "unchoke/internal/live"

// Filter is a test of flows. The zero value lets everything through.
type Filter struct {
	text   string
	match  predicate
	bounds Bounds
	judged string
}

// predicate is a part of a filter.
type predicate func(*live.Flow) bool

// Match says whether the flow passes.
func (f Filter) Match(flow *live.Flow) bool { return f.match == nil || f.match(flow) }

// String is the filter as it was read.
func (f Filter) String() string { return f.text }

// Judged is a key of the filter that asks what a flow is judged to be: verdict, confidence
// or warning. It is empty where the filter has none.
func (f Filter) Judged() string { return f.judged }

// Apply is the snapshot with the flows that pass. The snapshot itself is not
// changed.
func (f Filter) Apply(s *live.Snapshot) *live.Snapshot {
	if f.match == nil {
		return s
	}
	out := *s
	out.Flows = nil
	for i := range s.Flows {
		if f.match(&s.Flows[i]) {
			out.Flows = append(out.Flows, s.Flows[i])
		}
	}
	return &out
}
