package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// The least screen that anything is drawn on.
const (
	leastWidth  = 24
	leastHeight = 6
)

// View is the screen: exactly as many lines as it has, none wider than it is.
func (m model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	if m.prompt.open && m.width >= leastWidth && m.height >= leastHeight {
		_, at := m.prompt.window(m.width - len(promptSign))
		v.Cursor = tea.NewCursor(len(promptSign)+at, m.height-1)
	}
	return v
}

func (m model) lines() []string {
	if m.width < leastWidth || m.height < leastHeight {
		return []string{cut("too small", m.width)}
	}
	var body []string
	switch m.where {
	case theHelp:
		return m.besideScreen(m.helpLines())
	case theCommand:
		return m.besideScreen(m.commandLines())
	case theChoice:
		return m.besideScreen(m.choiceLines())
	case thePage:
		body = m.pageScreen()
	default:
		body = m.tableScreen()
	}
	return append(fill(body, m.height-1), m.bottom())
}

// fill makes exactly so many lines.
func fill(lines []string, height int) []string {
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines[:height]
}

// besideScreen shows lines, and at the bottom how to leave them.
func (m model) besideScreen(lines []string) []string {
	leave := "any key: back"
	if m.where == theHelp {
		if lines = lines[min(m.besideTop, len(lines)):]; m.besideTop > 0 || len(lines) > m.height-1 {
			leave = "↑↓ PgUp PgDn scroll   any other key: back"
		}
	}
	if m.where == theChoice {
		leave = "↑↓ move   Enter sort   Esc back"
	} else if m.said != "" {
		leave = m.said
	}
	return append(fill(lines, m.height-1), m.styles.faint.Render(cut(" "+leave, m.width)))
}

// promptSign stands before the filter.
const promptSign = "/ "

// bottom is the last line: the filter while it is typed, an answer, or the keys
// that matter most.
func (m model) bottom() string {
	switch {
	case m.prompt.open:
		text, _ := m.prompt.window(m.width - len(promptSign))
		return m.styles.bold.Render(promptSign) + text
	case m.said != "":
		return m.styles.bold.Render(cut(" "+m.said, m.width))
	}
	hints := []string{"? keys", "/ filter", "s sort", "g group", "Enter flow", "Space freeze", "c closed", "q quit", "r reverse"}
	if m.where == thePage {
		hints = []string{"Esc back", "? keys", "n next command", "↑↓ scroll", "Space freeze", "q quit"}
	}
	if m.tape != nil {
		hints = append([]string{"p pause", "[ ] wind", "- + speed"}, hints...)
	}
	return m.styles.faint.Render(fitting(" ", "   ", m.width, hints))
}

// fitting joins what has the room, the first first.
func fitting(line, between string, width int, parts []string) string {
	for i, p := range parts {
		next := line + p
		if i > 0 {
			next = line + between + p
		}
		if columns(next) > width {
			return line
		}
		line = next
	}
	return line
}
