package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// binding is what keys do. Help is made of the same list, so that no key is
// missing there.
type binding struct {
	keys  []string // as bubbletea names them
	shown string   // as the help shows them; keys joined where it is empty
	help  string
	do    func(*model) tea.Cmd
}

func (b binding) label() string {
	if b.shown != "" {
		return b.shown
	}
	return strings.Join(b.keys, " ")
}

// plain makes an action of one that has nothing to wait for.
func plain(do func(*model)) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { do(m); return nil }
}

// everywhere are the keys of every screen.
func everywhere() []binding {
	return []binding{
		{keys: []string{"?", "f1", "h"}, shown: "? h F1", help: "the keys, and what the words mean", do: plain(func(m *model) { m.visit(theHelp) })},
		{keys: []string{"space"}, help: "freeze the screen, and go on", do: plain((*model).freeze)},
		{keys: []string{"q", "ctrl+c"}, shown: "q ^C", help: "quit", do: func(*model) tea.Cmd { return tea.Quit }},
		{keys: []string{"ctrl+z"}, shown: "^Z", help: "suspend", do: func(*model) tea.Cmd { return tea.Suspend }},
		{keys: []string{"ctrl+l"}, shown: "^L", help: "draw again", do: func(*model) tea.Cmd { return tea.ClearScreen }},
	}
}

// ofTable are the keys of the table.
func ofTable() []binding {
	by := func(step func(height int) int) func(*model) tea.Cmd {
		return plain(func(m *model) { h := m.tableRows(); m.list.step(step(h), h) })
	}
	return []binding{
		{keys: []string{"up", "k"}, shown: "↑ k", help: "a row up", do: by(func(int) int { return -1 })},
		{keys: []string{"down", "j"}, shown: "↓ j", help: "a row down", do: by(func(int) int { return 1 })},
		{keys: []string{"pgup", "ctrl+b"}, shown: "PgUp ^B", help: "a screen up", do: by(func(h int) int { return -h })},
		{keys: []string{"pgdown", "ctrl+f"}, shown: "PgDn ^F", help: "a screen down", do: by(func(h int) int { return h })},
		{keys: []string{"home"}, shown: "Home", help: "the first row", do: by(func(int) int { return -veryFar })},
		{keys: []string{"end", "G"}, shown: "End G", help: "the last row", do: by(func(int) int { return veryFar })},
		{keys: []string{"enter", "right", "l"}, shown: "Enter →", help: "the flow's page; of a group, its flows", do: plain((*model).enter)},
		{keys: []string{"esc"}, shown: "Esc", help: "leave the row, go to the top", do: plain(func(m *model) { m.list.leave() })},
		{keys: []string{"/"}, help: "filter, as ss does: dport = 443 and rtt > 50ms", do: plain((*model).ask)},
		{keys: []string{"s"}, help: "choose the column to sort by; what they mean", do: plain((*model).choose)},
		{keys: []string{"<", ","}, shown: "< ,", help: "sort by the column before", do: plain(func(m *model) { m.list.neighbour(-1); m.arrange() })},
		{keys: []string{">", "."}, shown: "> .", help: "sort by the column after", do: plain(func(m *model) { m.list.neighbour(1); m.arrange() })},
		{keys: []string{"r"}, help: "turn the order round", do: plain(func(m *model) { m.list.sortBy(m.list.order.Column.Key); m.arrange() })},
		{keys: []string{"g"}, help: "group by process, unit, remote, not at all", do: plain(func(m *model) { m.list.group(); m.arrange() })},
		{keys: []string{"c"}, help: "show closed flows, or hide them", do: plain(func(m *model) { m.list.closed = !m.list.closed; m.arrange() })},
	}
}

// veryFar is more rows than a table has.
const veryFar = 1 << 30

// ofPage are the keys of a flow's page.
func ofPage() []binding {
	scroll := func(step func(height int) int) func(*model) tea.Cmd {
		return plain(func(m *model) { m.page.scroll(step(m.pageRows()), len(m.pageLines())-m.pageRows()) })
	}
	return []binding{
		{keys: []string{"up", "k"}, shown: "↑ k", help: "a line up", do: scroll(func(int) int { return -1 })},
		{keys: []string{"down", "j"}, shown: "↓ j", help: "a line down", do: scroll(func(int) int { return 1 })},
		{keys: []string{"pgup", "ctrl+b"}, shown: "PgUp ^B", help: "a screen up", do: scroll(func(h int) int { return -h })},
		{keys: []string{"pgdown", "ctrl+f"}, shown: "PgDn ^F", help: "a screen down", do: scroll(func(h int) int { return h })},
		{keys: []string{"z"}, help: "charts of the whole history, or of the last part", do: plain(func(m *model) { m.page.whole = !m.page.whole })},
		{keys: []string{"n"}, help: "show the next command to run, to copy it", do: plain(func(m *model) { m.visit(theCommand) })},
		{keys: []string{"y"}, help: "copy it through the terminal (OSC 52)", do: (*model).copyCommand},
		{keys: []string{"esc", "left", "backspace"}, shown: "Esc ←", help: "back to the table", do: plain(func(m *model) { m.where = theTable })},
	}
}

// ofTape are the keys of a recording, in the table and on the page.
func ofTape() []binding {
	on := func(do func(Tape)) func(*model) tea.Cmd {
		return plain(func(m *model) {
			if m.tape == nil {
				m.said = "this is no recording"
				return
			}
			do(m.tape)
		})
	}
	return []binding{
		{keys: []string{"p"}, help: "pause, and play on", do: on(func(t Tape) { t.Pause(!t.Paused()) })},
		{keys: []string{"["}, help: "wind back 10 s", do: on(func(t Tape) { wind(t, -seekStep) })},
		{keys: []string{"]"}, help: "wind on 10 s", do: on(func(t Tape) { wind(t, seekStep) })},
		{keys: []string{"{"}, help: "wind back a minute", do: on(func(t Tape) { wind(t, -seekFar) })},
		{keys: []string{"}"}, help: "wind on a minute", do: on(func(t Tape) { wind(t, seekFar) })},
		{keys: []string{"0"}, help: "to the beginning", do: on(func(t Tape) { t.Seek(0) })},
		{keys: []string{"-"}, help: "half as fast", do: on(func(t Tape) { faster(t, 0.5) })},
		{keys: []string{"+", "="}, shown: "+ =", help: "twice as fast", do: on(func(t Tape) { faster(t, 2) })},
	}
}

// key does what a key says on the screen that is shown.
func (m model) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	name := msg.String()
	if m.prompt.open {
		return m, m.promptKey(name, msg)
	}
	switch m.where {
	case theHelp, theCommand:
		return m, m.besideKey(name)
	case theChoice:
		return m, m.choiceKey(name)
	}
	lists := [][]binding{ofTable(), ofTape(), everywhere()}
	if m.where == thePage {
		lists[0] = ofPage()
	}
	for _, list := range lists {
		for _, b := range list {
			if slices.Contains(b.keys, name) {
				cmd := b.do(&m)
				return m, cmd
			}
		}
	}
	return m, nil
}
