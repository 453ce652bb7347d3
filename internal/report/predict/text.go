package predict

import (
	"io"

	"unchoke/internal/report/render"
)

// Text writes one screen: how the copies behave, what each arm would do, what
// each cause costs, how to have the path again.
func (r Report) Text(w io.Writer, style render.Style) error {
	s := render.NewScreen(style)
	s.Lead(render.Bold, r.Target, "rebuilt in the lab from record "+r.name())
	s.Text("")
	s.Table(r.likeness(), 1, s.Prose)
	if len(r.Arms) > 0 {
		s.Text("")
		s.Table(r.table(), 2, s.Prose)
	}
	if len(r.Causes) > 0 {
		s.Text("")
		s.Table(r.costs(), 2, s.Prose)
	}
	s.Text("")
	colour := render.Green
	if !r.Fit.Agrees {
		colour = render.Yellow
	}
	s.Hang(0, colour, r.headline())
	s.Text("")
	for _, left := range r.NotTried {
		s.Note("not tried", render.Dim, left)
	}
	s.Line(render.Dim.Of("  the twin:"))
	s.Block(4, render.Plain, r.repeat()) // whole, so that it can be pasted
	return s.Flush(w)
}

func (r Report) name() string {
	if r.Record == "" {
		return "(not saved)"
	}
	return r.Record
}
