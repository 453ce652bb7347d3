package report

import (
	"fmt"
	"io"
	"strings"
)

// longTable is how many rows of a table with one for every cell a terminal is
// shown, and a page unfolds, without being asked to.
const longTable = 24

// Text writes the report for a terminal.
func (l Lab) Text(w io.Writer, s Style) error {
	width := max(s.Width, 40)
	prose := min(width, maxTextWidth)
	var b strings.Builder
	fmt.Fprintln(&b, s.paint(bold, printable(l.headline())))
	for _, line := range wrap(printable(l.setup()), prose) {
		fmt.Fprintln(&b, s.paint(dim, line))
	}
	for _, part := range l.sections() {
		fmt.Fprintf(&b, "\n%s\n", s.paint(bold, strings.ToUpper(part.Title)))
		for _, words := range part.Words {
			for _, line := range wrap(words, prose) {
				fmt.Fprintln(&b, line)
			}
		}
		for _, t := range part.Tables {
			if rows := len(t.Columns[0].Cells); part.Long && l.part == "" && rows > longTable {
				fmt.Fprintf(&b, "\n%s: %d rows; --part %s shows them\n", t.Caption, rows, anchor(part.Title))
				continue
			}
			fmt.Fprintf(&b, "\n%s\n", t.Caption)
			textTable(&b, s, t.Columns, t.Names, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
