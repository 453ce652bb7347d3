package tui

import (
	"fmt"
	"strings"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/report/render"

	"charm.land/lipgloss/v2"
)

// tableRows is how many rows there is room for.
func (m model) tableRows() int { return max(m.height-m.headerRows()-2, 1) }

// tableScreen is the header and the rows that are visible.
func (m model) tableScreen() []string {
	lines := m.header()
	cols := choose(m.width, m.list.order.Column.Key)
	lines = append(lines, m.heads(cols))
	rows := m.list.rows
	for i := m.list.top; i < min(m.list.top+m.tableRows(), len(rows)); i++ {
		lines = append(lines, m.row(cols, rows[i], rows[i].key() == m.list.selected))
	}
	if len(rows) == 0 && m.snapshot != nil {
		lines = append(lines, m.styles.faint.Render(cut("  "+m.whyEmpty(), m.width)))
	}
	return lines
}

func (m model) whyEmpty() string {
	switch {
	case m.list.match != nil:
		return "no flow passes the filter: / changes it"
	case m.list.closedN > 0:
		return "no flow is open: c shows those that have closed"
	}
	if m.options.Within != "" {
		return "no connection passes " + clean(m.options.Within)
	}
	return "this host has no TCP connection"
}

// heads is the line of the columns' names; a mark shows the order.
func (m model) heads(cols []column) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", flagColumns))
	for i, c := range cols {
		if i > 0 {
			b.WriteString(" ")
		}
		name, style := c.head, m.styles.faint
		if c.Key == m.list.order.Column.Key {
			style = m.styles.bold
			name = marked(c, m.list.order.Reversed)
		}
		if c.Name {
			name = left(name, c.width)
		} else {
			name = right(name, c.width)
		}
		b.WriteString(style.Underline(true).Render(name))
	}
	return b.String()
}

// marked is the head of the column that is sorted by: names from A on are ▲,
// figures from the largest on ▼.
func marked(c column, reversed bool) string {
	mark := "▼"
	if c.Name != reversed {
		mark = "▲"
	}
	return cut(c.head, c.width-1) + mark
}

// row draws one.
func (m model) row(cols []column, r row, selected bool) string {
	if r.group != nil {
		return m.groupRow(r.group, selected)
	}
	var b strings.Builder
	flag, flagStyle := m.flag(r.flow)
	paint := func(s lipgloss.Style, text string) {
		if selected {
			s = m.styles.selected
		}
		b.WriteString(s.Render(text))
	}
	paint(flagStyle, flag+" ")
	rest := m.styles.plain
	if r.flow.Closed || r.flow.Idle >= restless {
		rest = m.styles.faint
	}
	// What is of one style is drawn at once: fewer sequences, less work.
	run := ""
	for i, c := range cols {
		if i > 0 {
			run += " "
		}
		text := c.text(r.flow)
		if c.Key != "verdict" {
			run += text
			continue
		}
		paint(rest, run)
		paint(m.styles.verdict(r.flow), text)
		run = ""
	}
	used := flagColumns - gap
	for _, c := range cols {
		used += c.width + gap
	}
	if selected {
		run += strings.Repeat(" ", max(m.width-used, 0))
	}
	paint(rest, run)
	return b.String()
}

// restless is for how many seconds a flow has to be idle to be shown so.
const restless = 3

// flag marks a flow: × has closed, ! is warned of.
func (m model) flag(f *live.Flow) (string, lipgloss.Style) {
	switch {
	case f.Closed:
		return "×", m.styles.faint
	case len(f.Warnings) > 0:
		return "!", m.styles.warn
	}
	return " ", m.styles.plain
}

// groupRow is a group's name, its sums and its verdicts.
func (m model) groupRow(g *table.Group, selected bool) string {
	mark := "+"
	if m.list.open[g.Name] {
		mark = "-"
	}
	name := clean(g.Name)
	if name == "" {
		name = "(not known)"
	}
	nameWidth := min(max(m.width/4, 12), 42)
	line := mark + " " + left(cutMiddle(name, nameWidth), nameWidth) + " " + right(render.Plural(len(g.Flows), "flow"), 10)
	line = fitting(line, "", m.width, append([]string{
		"  ↑" + left(render.BriefRate(g.Sent), 5), " ↓" + left(render.BriefRate(g.Received), 5),
	}, groupVerdicts(g)...))
	style := m.styles.bold
	if selected {
		style, line = m.styles.selected, left(line, m.width)
	}
	return style.Render(line)
}

// groupVerdicts counts a group's flows, faults first.
func groupVerdicts(g *table.Group) []string {
	var out []string
	for _, c := range ranked(g.Verdicts) {
		out = append(out, fmt.Sprintf("  %d %s", g.Verdicts[c], clean(string(c))))
	}
	return out
}
