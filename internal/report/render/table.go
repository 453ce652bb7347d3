package render

import "strings"

// Column is one of a table, its cells as text that is not yet made safe for any
// form.
type Column struct {
	Head  string
	Left  bool // names stand left, figures right
	Spare bool // a list does without it where there is no room
	Cells []string
}

// tableGap is the space between two columns of a text table.
const tableGap = 2

// List writes columns of text from the left edge. On a terminal that is too narrow
// for them the spare ones are left out and the last is cut; a program reads them
// whole.
func (s *Screen) List(columns []Column) {
	widths, all := widthsOf(columns)
	most := s.Width
	if s.Whole {
		most = all
	}
	for i := -1; i < len(columns[0].Cells); i++ {
		var line strings.Builder
		for c, col := range columns {
			if !col.Spare || all <= most {
				line.WriteString(col.text(i, widths[c]))
			}
		}
		s.Text(Clip(strings.TrimRight(line.String()[tableGap:], " "), most))
	}
}

// Table writes columns of text. Where they are wider together than the screen
// they continue below, each band with the first names columns again.
func (s *Screen) Table(columns []Column, names, screen int) {
	widths, _ := widthsOf(columns)
	fixed := 0
	for _, w := range widths[:names] {
		fixed += tableGap + w
	}
	for next := names; next < len(columns); {
		from, used := next, fixed
		for next < len(columns) && (next == from || used+tableGap+widths[next] <= screen) {
			used += tableGap + widths[next]
			next++
		}
		if from > names {
			s.Text("")
		}
		colour := Dim
		for i := -1; i < len(columns[0].Cells); i++ {
			var line strings.Builder
			for c := range next {
				if c < names || c >= from {
					line.WriteString(columns[c].text(i, widths[c]))
				}
			}
			s.Line(colour.Of(Clip(strings.TrimRight(line.String(), " "), screen)))
			colour = Plain
		}
	}
}

// widthsOf are the columns' widths, and that of all side by side.
func widthsOf(columns []Column) (widths []int, all int) {
	for _, col := range columns {
		w := width(col.Head)
		for _, cell := range col.Cells {
			w = max(w, width(cell))
		}
		widths, all = append(widths, w), all+tableGap+w
	}
	return widths, all - tableGap
}

// text is a cell, or before the first the head, with the gap before it.
func (c Column) text(i, columns int) string {
	text := c.Head
	if i >= 0 {
		text = c.Cells[i]
	}
	gap := strings.Repeat(" ", tableGap)
	if c.Left {
		return gap + Pad(Printable(text), columns)
	}
	return gap + strings.Repeat(" ", columns-width(text)) + Printable(text)
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
