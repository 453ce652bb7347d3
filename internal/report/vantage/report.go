// Package vantage shows what checks of one target from several places say
// together: text, markdown, HTML and JSON of the same values. It sees no host
// and no network.
package vantage

import (
	"fmt"
	"io"
	"strings"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/vantage"
)

// Schema names this version of the document.
const Schema = "unchoke.vantage/1"

// Report is what `unchoke check --from` says, and its JSON document.
type Report struct {
	Schema  string    `json:"schema"`
	Version string    `json:"version"` // of unchoke
	Started time.Time `json:"started"`
	vantage.Comparison
}

// New is the report of a comparison.
func New(c vantage.Comparison, version string, started time.Time) Report {
	return Report{Schema: Schema, Version: version, Started: started, Comparison: c}
}

// JSON writes the document.
func (r Report) JSON(w io.Writer) error { return render.JSON(w, r) }

// names are the places, as a sentence has them.
func (r Report) names() string {
	var all []string
	for _, p := range r.Places {
		all = append(all, p.Name)
	}
	return vantage.List(all)
}

func (r Report) subtitle() string {
	return fmt.Sprintf("from %s; %s of quick checks", r.names(), render.Plural(r.Rounds, "round"))
}

// table has a row a place.
func (r Report) table() []render.Column {
	columns := []render.Column{
		{Head: "place", Left: true},
		{Head: "RTT"},
		{Head: "download"},
		{Head: "upload"},
		{Head: "download is", Left: true},
		{Head: "upload is", Left: true},
	}
	for _, p := range r.Places {
		down, downIs := cells(p, record.Down)
		up, upIs := cells(p, record.Up)
		for i, text := range []string{p.Name, render.Known(p.RTT.Median, render.Time), down, up, downIs, upIs} {
			columns[i].Cells = append(columns[i].Cells, text)
		}
	}
	return columns
}

// cells are a direction's rate, of what the path carries where that is more, and
// its verdict.
func cells(p vantage.Seen, d record.Direction) (rates, verdict string) {
	for _, w := range p.Ways {
		if w.Direction != d {
			continue
		}
		rates = render.Rate(w.Rate.Median)
		if w.Capacity.Median > vantage.Matters*w.Rate.Median {
			rates = inOneUnit(w.Rate.Median, w.Capacity.Median)
		}
		verdict = string(w.Verdict)
		if w.Rate.Rounds > 1 && w.Verdict != finding.Unclear && w.Agreed < w.Rate.Rounds {
			verdict += fmt.Sprintf(" (%d of %d)", w.Agreed, w.Rate.Rounds)
		}
	}
	return rates, verdict
}

// inOneUnit is a rate of a larger one.
func inOneUnit(rate, of float64) string {
	scale, name := render.RateScale(of)
	return render.Short(rate/scale) + " of " + render.Short(of/scale) + " " + name
}

// section is the insights of one kind.
type section struct {
	Title    string
	Insights []vantage.Insight
}

// sections are what differs and what is shared, in the order in which they are
// shown.
func (r Report) sections() []section {
	var out []section
	if len(r.Differences) > 0 {
		out = append(out, section{"What differs", r.Differences})
	}
	if len(r.Shared) > 0 {
		out = append(out, section{"What all share", r.Shared})
	}
	return out
}

// nothing is said where nothing differs and nothing is shared.
func (r Report) nothing() string {
	switch {
	case len(r.Differences)+len(r.Shared) > 0:
		return ""
	case r.Measured() < 2:
		return "Fewer than two places were measured: there is nothing to compare."
	}
	for _, p := range r.Places {
		for _, w := range p.Ways {
			if w.Verdict != finding.Healthy {
				return "No cause could be placed: no place has one that its rounds agree on."
			}
		}
	}
	return "All places find the path healthy, and none is clearly slower than another."
}

// where is an insight's segment, its directions and how sure it is.
func where(x vantage.Insight) (place, rest string) {
	var ways []string
	for _, d := range x.Directions {
		ways = append(ways, d.Word())
	}
	return x.Segment.Words(), fmt.Sprintf("%s; %.0f %% sure", strings.Join(ways, " and "), 100*x.Confidence)
}

// reasons are what an insight rests on.
func reasons(x vantage.Insight) []string {
	var out []string
	out = append(out, x.Why...)
	if len(x.Candidates) > 0 {
		var at []string
		for _, c := range x.Candidates {
			at = append(at, c.Words())
		}
		out = append(out, "It may lie in: "+strings.Join(at, "; ")+".")
	}
	if len(x.Silent) > 0 && x.Cause != "" {
		out = append(out, "What "+vantage.List(x.Silent)+" measured would not have shown it.")
	}
	return out
}

// note is a remark with its label.
type note struct{ Label, Text string }

func (r Report) notes() []note {
	var out []note
	for _, p := range r.Places {
		for _, f := range p.Failures {
			out = append(out, note{"failed", fmt.Sprintf("round %d, %s", f.Round, f.Error)})
		}
	}
	for _, w := range r.Warnings {
		out = append(out, note{"warning", w})
	}
	for _, p := range r.Places {
		if p.How != "" {
			out = append(out, note{"way", fmt.Sprintf("%s passes %s: %s", p.Name, vantage.List(p.Passes), p.How)})
		}
	}
	for _, p := range r.Places {
		if len(p.Records) > 0 {
			out = append(out, note{"records", p.Name + ": " + strings.Join(p.Records, ", ")})
		}
	}
	return out
}
