package check

import (
	"fmt"

	"unchoke/internal/diagnose"
	"unchoke/internal/report/render"
)

// oneRunEach is what the figures of two checks do not say.
const oneRunEach = "Each figure is of one run. unchoke ab measures a difference with its interval."

// sinceLines end the report with what changed since an earlier check.
func (c Report) sinceLines(s *render.Screen) {
	if c.Since == nil {
		return
	}
	s.Text("")
	s.Line(render.Bold.Of("SINCE " + render.When(c.Since.Started)))
	if len(c.Since.Ways) > 0 {
		s.Table(sinceTable(*c.Since), 1, s.Prose)
		s.Text("")
	}
	for _, sentence := range sinceSentences(*c.Since) {
		s.Hang(2, render.Plain, sentence)
	}
	for _, w := range c.Since.Warnings {
		s.Note("warning", render.Yellow, w)
	}
	s.Note("compared with", render.Dim, "record "+c.Since.Record)
}

func (c Report) sinceMarkdown(m *render.Markdown) {
	if c.Since == nil {
		return
	}
	m.Heading(3, render.Words("Since "+render.When(c.Since.Started)+", record"), render.Space, render.Code(c.Since.Record))
	if len(c.Since.Ways) > 0 {
		m.Table(sinceTable(*c.Since))
	}
	for _, sentence := range sinceSentences(*c.Since) {
		m.Paragraph(render.Words(sentence))
	}
	for _, w := range c.Since.Warnings {
		m.Quote("warning", w)
	}
}

// sinceTable has a row a direction.
func sinceTable(s diagnose.Since) []render.Column {
	columns := []render.Column{
		{Head: "one stream", Left: true},
		{Head: "before"},
		{Head: "now"},
		{Head: "change"},
		{Head: "sender", Left: true},
		{Head: "cause", Left: true},
		{Head: "RTT under load", Left: true},
	}
	for _, w := range s.Ways {
		change := ""
		if w.Ratio > 0 {
			change = render.Times(w.Ratio)
		}
		for i, cell := range []string{
			w.Direction.Word(), render.Rate(w.Before.Rate), render.Rate(w.After.Rate), change,
			fromTo(w.Before.CC, w.After.CC),
			fromTo(string(w.Before.Cause), string(w.After.Cause)),
			fromTo(render.Known(w.Before.LoadedRTT, render.Time), render.Known(w.After.LoadedRTT, render.Time)),
		} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	return columns
}

// fromTo is what a thing was and is.
func fromTo(before, after string) string {
	switch {
	case before == after:
		return after
	case before == "":
		return "unknown → " + after
	case after == "":
		return before + " → unknown"
	}
	return before + " → " + after
}

// sinceSentences say what the table's figures rest on.
func sinceSentences(s diagnose.Since) []string {
	if len(s.Ways) == 0 {
		return []string{"No direction was measured in both checks."}
	}
	var out []string
	for _, w := range s.Ways {
		if b, a := w.Before.CC, w.After.CC; b != a && b != "" && a != "" && w.Ratio > 0 {
			out = append(out, fmt.Sprintf("The %s's sender runs %s now, not %s, and carries %s as much.", w.Direction.Word(), a, b, render.Times(w.Ratio)))
		}
	}
	return append(out, oneRunEach)
}
