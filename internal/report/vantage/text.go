package vantage

import (
	"io"

	"unchoke/internal/report/render"
	"unchoke/internal/vantage"
)

// Text writes the table of places, what differs and where its cause lies, and
// what all share.
func (r Report) Text(w io.Writer, style render.Style) error {
	s := render.NewScreen(style)
	s.Lead(render.Bold, r.Target, r.subtitle())
	s.Text("")
	s.Table(r.table(), 1, s.Width)
	for _, section := range r.sections() {
		s.Text("")
		s.Line(render.Bold.Of(section.Title))
		for _, x := range section.Insights {
			s.Text("")
			place, rest := where(x)
			s.Lead(colourOf(x), render.Capital(place), rest)
			s.Hang(2, render.Plain, x.Summary)
			for _, why := range reasons(x) {
				s.Hang(4, render.Dim, why)
			}
		}
	}
	if text := r.nothing(); text != "" {
		s.Text("")
		s.Hang(0, render.Plain, text)
	}
	s.Text("")
	for _, n := range r.notes() {
		colour := render.Dim
		if n.Label == "failed" || n.Label == "warning" {
			colour = render.Yellow
		}
		s.Note(n.Label, colour, n.Text)
	}
	return s.Flush(w)
}

// colourOf marks faults, and what is not placed.
func colourOf(x vantage.Insight) render.Colour {
	switch {
	case x.Segment.Kind == vantage.KindUnclear:
		return render.Yellow
	case x.Fault():
		return render.Red
	}
	return render.Bold
}
