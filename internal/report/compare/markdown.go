package compare

import (
	"io"

	"unchoke/internal/report/render"
)

// Markdown writes the comparison for an issue or a forum: the verdict first,
// then the table.
func (c Report) Markdown(w io.Writer) error {
	var m render.Markdown
	m.Heading(2, render.Code(c.Target), render.Words(": "+c.headline()))
	m.Paragraph(render.Strong(render.Capital(string(c.Verdict))+"."), render.Space, render.Words(c.Sentence+" ("+c.blockWords()+")"))
	m.List(c.otherSentences()...)
	m.Table(c.table())
	var facts []render.Inline
	for _, line := range []string{c.hosts(), c.trialWords()} {
		if line != "" {
			facts = append(facts, render.Words(render.Capital(line)+"."), render.Space)
		}
	}
	m.Paragraph(facts...)
	for _, n := range c.notes() {
		switch n.Label {
		case "seed":
		case "record":
			m.Paragraph(render.Words(render.When(c.Started)+", record"), render.Space, render.Code(c.Record))
		default:
			m.Quote(n.Label, n.Text)
		}
	}
	m.Paragraph(render.Words("The same trials in the same order:"), render.Space, render.Code(c.Command))
	return m.Flush(w)
}
