package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"unchoke/internal/live/table"
)

// visit opens a screen beside the one that is shown.
func (m *model) visit(s screenful) { m.back, m.where, m.besideTop = m.where, s, 0 }

// freeze stops the screen; snapshots go on being taken in.
func (m *model) freeze() {
	if m.frozen = !m.frozen; !m.frozen {
		m.show()
	}
}

// enter opens the row that the user is at.
func (m *model) enter() {
	at, ok := m.list.current()
	if !ok {
		return
	}
	m.list.step(0, m.tableRows())
	if at.group != nil {
		m.list.toggle(at.group)
		m.arrange()
		return
	}
	m.where = thePage
	m.page = openPage(at.flow, m.keeper)
}

// ask opens the line for a filter.
func (m *model) ask() {
	if m.options.Filter == nil {
		m.said = "there is no filter here"
		return
	}
	m.prompt = newPrompt(m.filter)
}

// promptKey edits the filter; Enter takes it, Esc leaves the old one.
func (m *model) promptKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	switch name {
	case "ctrl+c", "esc":
		m.prompt = prompt{}
	case "enter":
		if m.prompt.err == nil {
			m.filter, m.prompt = m.prompt.String(), prompt{}
			m.list.match = nil
			if m.filter != "" {
				m.list.match, _ = m.options.Filter(m.filter) // it was parsed as it was typed
			}
			m.arrange()
		}
	default:
		m.prompt.edit(msg)
		m.prompt.err = nil
		if text := m.prompt.String(); text != "" {
			_, m.prompt.err = m.options.Filter(text)
		}
	}
	return nil
}

// choose opens the list of columns at the one that is sorted by.
func (m *model) choose() {
	m.choice = max(slices.Index(table.Keys(), m.list.order.Column.Key), 0)
	m.visit(theChoice)
}

// choiceKey moves in the list of columns.
func (m *model) choiceKey(name string) tea.Cmd {
	last := len(table.Columns) - 1
	switch name {
	case "up", "k":
		m.choice = max(m.choice-1, 0)
	case "down", "j":
		m.choice = min(m.choice+1, last)
	case "home", "pgup":
		m.choice = 0
	case "end", "pgdown":
		m.choice = last
	case "enter", "space":
		m.list.sortBy(table.Columns[m.choice].Key)
		m.where = m.back
		m.arrange()
	case "esc", "q", "s", "left":
		m.where = m.back
	case "ctrl+c":
		return tea.Quit
	}
	return nil
}

// besideKey scrolls the help; what does not, leaves it or the command.
func (m *model) besideKey(name string) tea.Cmd {
	by := 0
	switch name {
	case "ctrl+c":
		return tea.Quit
	case "y":
		if m.where == theCommand {
			return m.copyCommand()
		}
	case "up", "k":
		by = -1
	case "down", "j":
		by = 1
	case "pgup":
		by = 1 - m.height
	case "pgdown", "space":
		by = m.height - 1
	}
	if by != 0 && m.where == theHelp {
		m.besideTop = max(min(m.besideTop+by, len(m.helpLines())-m.height+1), 0)
		return nil
	}
	m.where = m.back
	return nil
}

// copyCommand gives the next command to the terminal's clipboard.
func (m *model) copyCommand() tea.Cmd {
	command := m.page.command()
	if command == "" {
		m.said = "there is no command for this flow"
		return nil
	}
	m.said = "sent to the terminal's clipboard, if it takes that"
	return tea.SetClipboard(command)
}
