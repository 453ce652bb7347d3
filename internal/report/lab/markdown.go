package lab

import (
	"io"

	"unchoke/internal/report/render"
)

// Markdown writes the report as a document.
func (l Report) Markdown(w io.Writer) error {
	var m render.Markdown
	m.Heading(1, render.Words(l.headline()))
	m.Paragraph(render.Words(l.setup()))
	for _, part := range l.sections() {
		m.Heading(2, render.Words(part.Title))
		for _, words := range part.Words {
			m.Paragraph(render.Words(words))
		}
		for _, t := range part.Tables {
			m.Paragraph(render.Words(t.Caption + ":"))
			m.Table(t.Columns)
		}
	}
	return m.Flush(w)
}
