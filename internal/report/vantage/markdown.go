package vantage

import (
	"io"

	"unchoke/internal/report/render"
)

// Markdown writes the comparison for an issue or a forum.
func (r Report) Markdown(w io.Writer) error {
	var m render.Markdown
	m.Heading(2, render.Words(r.Target+" "+r.subtitle()))
	m.Table(r.table())
	for _, section := range r.sections() {
		m.Heading(3, render.Words(section.Title))
		for _, x := range section.Insights {
			place, rest := where(x)
			m.Paragraph(render.Strong(render.Capital(place)), render.Space, render.Words("("+rest+"). "+x.Summary))
			m.List(reasons(x)...)
		}
	}
	if text := r.nothing(); text != "" {
		m.Paragraph(render.Words(text))
	}
	for _, n := range r.notes() {
		m.Quote(n.Label, n.Text)
	}
	m.Paragraph(render.Words(render.When(r.Started)))
	return m.Flush(w)
}
