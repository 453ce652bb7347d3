package report

import (
	"fmt"
	"io"
	"strings"
)

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
			fmt.Fprintf(&b, "\n%s\n", t.Caption)
			textTable(&b, s, t.Columns, t.Names, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
