package render

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Column is one of a table, its cells as text that is not yet made safe for any
// form.
type Column struct {
	Head  string
	Left  bool // names stand left, figures right
	Cells []string
}

// tableGap is the space between two columns of a text table.
const tableGap = 2

// List writes columns of text from the left edge, however wide they are
// together, so that a program can read them as well.
func (s *Screen) List(columns []Column) {
	row := func(cell func(Column) string) {
		var line strings.Builder
		for _, col := range columns {
			least := 0
			for _, text := range append(col.Cells, col.Head) {
				least = max(least, width(text))
			}
			line.WriteString(Pad(cell(col), least+tableGap))
		}
		s.Text(strings.TrimRight(line.String(), " "))
	}
	row(func(c Column) string { return c.Head })
	for i := range columns[0].Cells {
		row(func(c Column) string { return c.Cells[i] })
	}
}

// Table writes columns of text. Where they are wider together than the screen
// they continue below, each band with the first names columns again.
func (s *Screen) Table(columns []Column, names, screen int) {
	widths := make([]int, len(columns))
	for i, col := range columns {
		widths[i] = width(col.Head)
		for _, cell := range col.Cells {
			widths[i] = max(widths[i], width(cell))
		}
	}
	fixed := 0
	for i := range names {
		fixed += widths[i] + tableGap
	}
	for next := names; next < len(columns); {
		from, used := next, fixed
		for next < len(columns) && (next == from || used+widths[next]+tableGap <= screen) {
			used += widths[next] + tableGap
			next++
		}
		if from > names {
			s.Text("")
		}
		s.band(slices.Concat(columns[:names], columns[from:next]), slices.Concat(widths[:names], widths[from:next]), screen)
	}
}

// band writes columns side by side.
func (s *Screen) band(columns []Column, widths []int, screen int) {
	row := func(cell func(Column) string) string {
		var line strings.Builder
		for i, col := range columns {
			text := Printable(cell(col))
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if col.Left {
				text += pad
			} else {
				text = pad + text
			}
			line.WriteString(strings.Repeat(" ", tableGap) + text)
		}
		return strings.TrimRight(Clip(line.String(), screen), " ")
	}
	s.Line(Dim.Of(row(func(c Column) string { return c.Head })))
	for i := range columns[0].Cells {
		s.Text(row(func(c Column) string { return c.Cells[i] }))
	}
}

// Grid is a table by rows, as HTML wants it.
type Grid struct {
	Head []Column
	Rows [][]GridCell
}

// GridCell is one cell of a Grid.
type GridCell struct {
	Text string
	Left bool
}

// RowsOf turns columns into rows.
func RowsOf(columns []Column) Grid {
	g := Grid{Head: columns}
	for i := range columns[0].Cells {
		var row []GridCell
		for _, col := range columns {
			row = append(row, GridCell{col.Cells[i], col.Left})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
