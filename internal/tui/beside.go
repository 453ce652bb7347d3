package tui

import (
	"strings"

	"unchoke/internal/live/table"
)

// helpLines are all notes, the keys and the marks, in two columns where there is
// room.
func (m model) helpLines() []string {
	lists := [][]binding{everywhere(), ofTable()}
	title := "keys"
	if m.back == thePage {
		lists[1], title = ofPage(), "keys of a flow's page"
	}
	if m.tape != nil {
		lists = append(lists, ofTape())
	}
	var entries [][2]string
	for _, list := range lists {
		for _, b := range list {
			entries = append(entries, [2]string{b.label(), b.help})
		}
	}
	var lines []string
	for _, note := range m.notes {
		lines = append(lines, m.lead(m.styles.warn, "note:", " "+clean(note))...)
	}
	lines = append(lines, m.styles.bold.Render(title))
	lines = append(lines, m.entryLines(entries, 0)...)
	return append(lines, "", m.styles.bold.Render("marks")+"  "+
		cut("! warned of   × closed   ↑ sends   ↓ receives   limit: net is the path", max(m.width-7, 0)))
}

// entryLines writes short names with what they mean.
func (m model) entryLines(entries [][2]string, least int) []string {
	name := least
	for _, e := range entries {
		name = max(name, columns(e[0]))
	}
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = cut("  "+left(e[0], name)+"  "+e[1], m.width)
	}
	const wide = 110
	if m.width < wide {
		return lines
	}
	down := (len(lines) + 1) / 2
	for i := range down {
		if j := i + down; j < len(lines) {
			lines[i] = left(lines[i], m.width/2) + cut(lines[j], m.width-m.width/2)
		}
	}
	return lines[:down]
}

// commandLines show the next command alone, so that a mouse can mark it, each
// line from the screen's left edge.
func (m model) commandLines() []string {
	command := m.page.command()
	if command == "" {
		return []string{"there is no command for this flow"}
	}
	lines := []string{m.styles.bold.Render("next command") + m.styles.faint.Render(cut("   y: copy it through the terminal", max(m.width-12, 0))), ""}
	return append(lines, breakAt(command, m.width)...)
}

// breakAt cuts a line where the screen ends and nowhere else: terminals join it
// again when it is marked.
func breakAt(s string, width int) []string {
	var lines []string
	for columns(s) > width {
		first := head(s, width)
		lines, s = append(lines, first), s[len(first):]
	}
	return append(lines, s)
}

// choiceLines are the columns to sort by.
func (m model) choiceLines() []string {
	lines := []string{m.styles.bold.Render("sort by")}
	room := max(m.height-len(lines)-1, 1)
	top := max(min(m.choice-room/2, len(table.Columns)-room), 0)
	for i := top; i < min(top+room, len(table.Columns)); i++ {
		c := table.Columns[i]
		mark := " "
		if c.Key == m.list.order.Column.Key {
			mark = "*"
		}
		line := cut(mark+" "+left(c.Key, 15)+" "+c.Help, m.width)
		if i == m.choice {
			line = m.styles.selected.Render(line + strings.Repeat(" ", m.width-columns(line)))
		}
		lines = append(lines, line)
	}
	return lines
}
