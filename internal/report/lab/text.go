package lab

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/report/render"
)

// longTable is how many rows of a table with one for every cell a terminal is
// shown, and a page unfolds, without being asked to.
const longTable = 24

// Text writes the report for a terminal.
func (l Report) Text(w io.Writer, style render.Style) error {
	s := render.NewScreen(style)
	s.Line(render.Bold.Of(l.headline()))
	s.Hang(0, render.Dim, l.setup())
	for _, part := range l.sections() {
		s.Text("")
		s.Line(render.Bold.Of(strings.ToUpper(part.Title)))
		for _, words := range part.Words {
			s.Hang(2, render.Plain, words)
		}
		for _, t := range part.Tables {
			s.Text("")
			if rows := len(t.Columns[0].Cells); part.Long && l.part == "" && rows > longTable {
				s.Hang(2, render.Plain, fmt.Sprintf("%s: %d rows; --part %s shows them", t.Caption, rows, anchor(part.Title)))
				continue
			}
			s.Hang(2, render.Plain, t.Caption)
			s.Table(t.Columns, t.Names, s.Width)
		}
	}
	return s.Flush(w)
}
