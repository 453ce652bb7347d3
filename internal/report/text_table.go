package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tableGap is the space between two columns of a text table.
const tableGap = 2

// textTable writes columns of text. Where they are wider together than the
// screen they continue below, each band with the first names columns again.
func textTable(b *strings.Builder, s Style, columns []column, names, width int) {
	widths := make([]int, len(columns))
	for i, col := range columns {
		widths[i] = utf8.RuneCountInString(col.Head)
		for j := range col.Cells {
			col.Cells[j] = printable(col.Cells[j])
			widths[i] = max(widths[i], utf8.RuneCountInString(col.Cells[j]))
		}
	}
	fixed := 0
	for i := range names {
		fixed += widths[i] + tableGap
	}
	for next := names; next < len(columns); {
		from, used := next, fixed
		for next < len(columns) && (next == from || used+widths[next]+tableGap <= width) {
			used += widths[next] + tableGap
			next++
		}
		if from > names {
			fmt.Fprintln(b)
		}
		band := make([]int, 0, names+next-from)
		for i := range names {
			band = append(band, i)
		}
		for i := from; i < next; i++ {
			band = append(band, i)
		}
		textBand(b, s, columns, widths, band, width)
	}
}

func textBand(b *strings.Builder, s Style, columns []column, widths, band []int, width int) {
	row := func(cell func(column) string) string {
		var line strings.Builder
		for _, i := range band {
			text := cell(columns[i])
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if columns[i].Left {
				text += pad
			} else {
				text = pad + text
			}
			line.WriteString(strings.Repeat(" ", tableGap) + text)
		}
		return strings.TrimRight(clip(line.String(), width), " ")
	}
	fmt.Fprintln(b, s.paint(dim, row(func(c column) string { return c.Head })))
	for i := range columns[0].Cells {
		fmt.Fprintln(b, row(func(c column) string { return c.Cells[i] }))
	}
}

// clip cuts a line that no layout could fit, and shows that it did.
func clip(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
