package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report as a document.
func (l Lab) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", markdown(l.headline()), markdown(l.setup()))
	for _, part := range l.sections() {
		fmt.Fprintf(&b, "\n## %s\n", part.Title)
		for _, words := range part.Words {
			fmt.Fprintf(&b, "\n%s\n", markdown(words))
		}
		for _, t := range part.Tables {
			fmt.Fprintf(&b, "\n%s:\n\n", markdown(t.Caption))
			markdownTable(&b, t.Columns)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTable(b *strings.Builder, columns []column) {
	for _, c := range columns {
		fmt.Fprintf(b, "| %s ", markdown(c.Head))
	}
	b.WriteString("|\n")
	for _, c := range columns {
		if c.Left {
			b.WriteString("|---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for i := range columns[0].Cells {
		for _, c := range columns {
			fmt.Fprintf(b, "| %s ", markdown(c.Cells[i]))
		}
		b.WriteString("|\n")
	}
}
