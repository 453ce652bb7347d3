package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// prompt is the line in which a filter is typed.
type prompt struct {
	open bool
	text []rune
	at   int   // the cursor, before text[at]
	err  error // what is wrong with the text
}

func newPrompt(text string) prompt {
	p := prompt{open: true}
	p.insert(text)
	return p
}

func (p *prompt) String() string { return string(p.text) }

// insert puts text at the cursor. What is not graphic is left out: a filter is
// one line.
func (p *prompt) insert(text string) {
	typed := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return -1
	}, text))
	p.text = slices.Insert(slices.Clone(p.text), p.at, typed...)
	p.at += len(typed)
}

// edit does what a key says, as in a shell's line.
func (p *prompt) edit(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "left", "ctrl+b":
		p.at = max(p.at-1, 0)
	case "right", "ctrl+f":
		p.at = min(p.at+1, len(p.text))
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "backspace", "ctrl+h":
		p.remove(p.at-1, p.at)
	case "delete", "ctrl+d":
		p.remove(p.at, p.at+1)
	case "ctrl+u":
		p.remove(0, p.at)
	case "ctrl+k":
		p.remove(p.at, len(p.text))
	case "ctrl+w", "alt+backspace":
		from := p.at
		for from > 0 && p.text[from-1] == ' ' {
			from--
		}
		for from > 0 && p.text[from-1] != ' ' {
			from--
		}
		p.remove(from, p.at)
	default:
		p.insert(msg.Text)
	}
}

// remove takes text[from:to] out and puts the cursor there.
func (p *prompt) remove(from, to int) {
	from, to = max(from, 0), min(to, len(p.text))
	if from < to {
		p.text = slices.Delete(slices.Clone(p.text), from, to)
		p.at = from
	}
}

// window is the part of the text around the cursor that a width shows, and the
// cursor's column in it.
func (p *prompt) window(width int) (shown string, cursor int) {
	before, after := clean(string(p.text[:p.at])), clean(string(p.text[p.at:]))
	before = tail(before, max(width-1, 0))
	return before + head(after, width-columns(before)), columns(before)
}
