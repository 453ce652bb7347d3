// Package check shows a measured path and its findings: text, markdown, HTML and JSON of
// the same values. It sees no host and no network.
package check

import (
	"io"
	"slices"
	"strings"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// Schema names this version of the document.
const Schema = "unchoke.check/1"

// Report is what `unchoke check` says, and its JSON document.
type Report struct {
	Schema    string            `json:"schema"`
	Target    string            `json:"target"`
	Record    string            `json:"record"` // its ID; `unchoke record show` has the whole
	Started   time.Time         `json:"started"`
	Near      record.Host       `json:"near"`
	Far       record.Peer       `json:"far"`
	Route     record.Route      `json:"route"`
	FarHost   *record.Host      `json:"far_host,omitempty"`  // the far host's own account of itself
	FarRoute  *record.Route     `json:"far_route,omitempty"` // and of its way back
	FarNICs   []record.NIC      `json:"far_nics,omitempty"`
	Flow      *record.Flow      `json:"flow,omitempty"` // the existing connection that was looked at
	Path      diagnose.Path     `json:"path"`
	Transfers []record.Transfer `json:"transfers"`
	// Cubic is one stream by CUBIC of each direction whose sender has an algorithm that
	// takes loss otherwise.
	Cubic    []record.Transfer `json:"cubic,omitempty"`
	Findings []finding.Finding `json:"findings"`
	Verdict  finding.Cause     `json:"verdict"`
	Proof    string            `json:"proof,omitempty"` // the command whose comparison proves it
	Skipped  []record.Skip     `json:"skipped,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Error    string            `json:"error,omitempty"`
	// Interrupted where it was the user who ended the check before its time.
	Interrupted bool `json:"interrupted,omitempty"`
	// Fetch is what a check of a URL saw of the server; absent of any other check.
	Fetch *record.Fetch `json:"fetch,omitempty"`
	// Unknown is what cannot be known from this end.
	Unknown []string `json:"unknown_from_here,omitempty"`
	// Predicted is what each remedy would do, tried on copies of the path in the
	// lab; "now" is the path as it is. Absent where there was no prediction.
	Predicted []record.Predicted `json:"predicted,omitempty"`
	// Since is what changed since an earlier check that the user named.
	Since *diagnose.Since `json:"since,omitempty"`
}

// New puts a record and its diagnosis together. The TCP_INFO series, and what headers
// of packets told, stay in the record.
func New(r *record.Run) Report {
	c := Report{
		Schema: Schema, Target: r.Target, Record: r.ID, Started: r.Started,
		Near: r.Near, Far: r.Far, Route: r.Route, Flow: r.Flow,
		FarHost: r.FarHost, FarRoute: r.FarRoute, FarNICs: r.FarNICs,
		Path:     diagnose.MeasuredPath(r),
		Findings: diagnose.Diagnose(r),
		Skipped:  r.Skipped, Warnings: r.Warnings, Error: r.Error, Interrupted: r.Interrupted, Predicted: record.Changes(r.Predicted),
		Fetch: r.Fetch, Unknown: diagnose.Unknown(r),
		Transfers: make([]record.Transfer, len(r.Transfers)),
	}
	c.Path.Lab = labPath(r)
	c.Route.Tunnel = c.Route.Tunnel.Brief()
	if r.FarRoute != nil {
		far := *r.FarRoute
		far.Tunnel = far.Tunnel.Brief()
		c.FarRoute = &far
	}
	for i, t := range r.Transfers {
		c.Transfers[i] = brief(t)
	}
	for _, t := range r.Cubic {
		c.Cubic = append(c.Cubic, brief(t))
	}
	if c.Findings == nil {
		c.Findings = []finding.Finding{}
	}
	c.Verdict = finding.Verdict(c.Findings)
	c.Proof = c.proof()
	return c
}

// brief is a transfer without what it recorded of its packets.
func brief(t record.Transfer) record.Transfer {
	t.Series, t.Packets = nil, nil
	if t.FarSide != nil {
		far := *t.FarSide
		far.Series, far.FarSide, far.Intervals = nil, nil, render.OrEmpty(far.Intervals)
		t.FarSide = &far
	}
	t.Intervals = render.OrEmpty(t.Intervals)
	return t
}

// JSON writes the document.
func (c Report) JSON(w io.Writer) error { return render.JSON(w, c) }

// transfer finds the TCP transfer of so many streams: 1, or more than 1. Of several
// of one stream it is that of which the diagnosis is; where large packets vanish, the
// one whose segments pass.
func (c Report) transfer(d record.Direction, many bool) *record.Transfer {
	name := ""
	if way := c.Path.Way(d); way != nil && !many {
		name = way.Stream
	}
	for i := len(c.Transfers) - 1; i >= 0; i-- {
		t := &c.Transfers[i]
		named := name == "" || t.Name == name
		if named && t.Direction == d && t.Protocol == record.TCP && (t.Streams > 1) == many && t.Rate > 0 {
			return t
		}
	}
	return nil
}

// carried is what a transfer carried steadily in bit/s: of the stream that was judged, what
// it was judged by, so that the table and the verdict have one rate.
func (c Report) carried(t *record.Transfer) float64 {
	if way := c.Path.Way(t.Direction); way != nil && t.Name != "" && way.Stream == t.Name && way.MTU == 0 {
		return way.Rate
	}
	return t.SteadyRate
}

// still is the stream with full segments that stood still where another was run
// whose segments pass.
func (c Report) still(d record.Direction) *record.Transfer {
	if one := c.transfer(d, false); one == nil || one.MSS == 0 {
		return nil
	}
	for i := range c.Transfers {
		if t := &c.Transfers[i]; t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 && t.MSS == 0 {
			return t
		}
	}
	return nil
}

// tests are the transfers of a direction, that by CUBIC last.
func (c Report) tests(d record.Direction) []record.Transfer {
	return slices.DeleteFunc(slices.Concat(c.Transfers, c.Cubic), func(t record.Transfer) bool { return t.Direction != d })
}

// leading is the verdict's finding, and the directions in which it holds.
func (c Report) leading() (finding.Finding, []record.Direction) {
	if len(c.Findings) == 0 {
		return finding.Finding{Cause: finding.Unclear, Summary: "Nothing was measured."}, nil
	}
	lead := c.Findings[0]
	var where []record.Direction
	for _, f := range c.Findings {
		if f.Cause == lead.Cause {
			where = append(where, f.Direction)
		}
	}
	return lead, where
}

// summaries say what the verdict rests on, in each direction in which it holds.
func (c Report) summaries() []string {
	lead, where := c.leading()
	if len(where) < 2 {
		return []string{lead.Summary}
	}
	var out []string
	for _, f := range c.Findings {
		if f.Cause == lead.Cause {
			out = append(out, render.Capital(f.Direction.Word())+": "+f.Summary)
		}
	}
	return out
}

// others are the findings that the verdict does not name, healthy ones left
// out.
func (c Report) others() []finding.Finding {
	var out []finding.Finding
	for _, f := range c.Findings[min(1, len(c.Findings)):] {
		if f.Cause != c.Verdict && f.Cause != finding.Healthy {
			out = append(out, f)
		}
	}
	return out
}

// leftOut says which steps were left out, those for the same reason together.
func (c Report) leftOut() []string {
	var reasons []string
	steps := map[string][]string{}
	for _, s := range c.Skipped {
		if steps[s.Why] == nil {
			reasons = append(reasons, s.Why)
		}
		steps[s.Why] = append(steps[s.Why], s.Step)
	}
	var out []string
	for _, why := range reasons {
		out = append(out, strings.Join(steps[why], "; ")+": "+why)
	}
	return out
}
