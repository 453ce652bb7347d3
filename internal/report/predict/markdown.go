package predict

import (
	"io"

	"unchoke/internal/report/render"
)

// Markdown writes the prediction for an issue or a forum.
func (r Report) Markdown(w io.Writer) error {
	var m render.Markdown
	m.Heading(2, render.Code(r.Target), render.Words(": predicted"))
	m.Paragraph(render.Strong(r.headline()))
	if len(r.Arms) > 0 {
		m.Table(r.table())
	}
	if len(r.Causes) > 0 {
		m.Table(r.costs())
	}
	m.Paragraph(render.Words("Rebuilt in the lab from record"), render.Space, render.Code(r.name()), render.Words(". The copies beside the path:"))
	m.Table(r.likeness())
	for _, left := range r.NotTried {
		m.Quote("not tried", left)
	}
	m.Paragraph(render.Words("The likeliest path again:"), render.Space, render.Code(r.repeat()))
	return m.Flush(w)
}
