package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"unchoke/internal/report/render"
)

// Progress shows on standard error how far a long step has come: a bar on a
// terminal, nothing elsewhere. The zero value shows nothing. Its methods may be
// called from several goroutines.
type Progress struct {
	out   io.Writer
	width int // of the terminal, in columns

	mu    sync.Mutex
	shown string // what the terminal's line has; empty where there is no bar on it
}

// barCells is the length of a bar.
const barCells = 30

// clearLine takes what is on the terminal's line off it (ECMA-48: EL).
const clearLine = "\r\x1b[K"

// StartProgress begins a step; the caller ends it with done.
func (a *App) StartProgress(what string) *Progress {
	if !a.Terminal.err.lively {
		return &Progress{}
	}
	p := &Progress{out: a.Stderr, width: a.Terminal.err.width}
	p.Set(0, what)
	return p
}

// Set shows that a share of the step is done, 0 to 1, and what it is at. A bar
// that cannot be drawn must not fail the work that it is about.
func (p *Progress) Set(share float64, what string) {
	if p.out == nil {
		return
	}
	text := p.text(min(max(share, 0), 1), render.Printable(what))
	p.mu.Lock()
	defer p.mu.Unlock()
	if text != p.shown {
		p.shown = text
		_, _ = io.WriteString(p.out, clearLine+text)
	}
}

// text is "what it is at  45 % ▕█████████     ▏", within one line: a longer one
// could not be taken off again.
func (p *Progress) text(share float64, what string) string {
	done := int(share * barCells)
	bar := fmt.Sprintf(" %3.0f %% ▕%s%s▏", 100*share, strings.Repeat("█", done), strings.Repeat(" ", barCells-done))
	room := max(p.width-1-len([]rune(bar)), 0)
	if words := []rune(what); len(words) > room {
		what = string(words[:room])
	}
	return what + bar
}

// Lines leaves lines of text above the bar.
func (p *Progress) Lines(text render.Painted) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.out, clearLine+string(text)+p.shown)
}

// Done takes the bar off the screen.
func (p *Progress) Done() {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = ""
	_, _ = io.WriteString(p.out, clearLine)
}
