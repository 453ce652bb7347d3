//go:build !slim

package watchcmd

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"slices"
	"sync"

	"golang.org/x/term"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/live/table"
	"unchoke/internal/tui"
)

// onTerminal says whether the table that moves is wanted and possible: both ends
// are a terminal that can move its cursor, and nothing asks for text.
func (f showFlags) onTerminal(a *cli.App) bool {
	if f.json || f.plain || f.once || f.top > 0 || os.Getenv("TERM") == "dumb" {
		return false
	}
	_, out := cli.TerminalFD(a.Stdout)
	in, ok := a.Stdin.(*os.File)
	return out && ok && term.IsTerminal(int(in.Fd()))
}

// terminalView shows snapshots as a table that moves, where that is wanted and
// possible. What the program has to say meanwhile would be drawn across it: the
// table shows it as a note, and it is printed once the terminal is as it was.
func (f showFlags) terminalView(a *cli.App, order table.Order, group table.By, within string, recording *watching.Tape) (viewer, bool) {
	if !f.onTerminal(a) {
		return viewer{}, false
	}
	said := &asides{to: a.Stderr}
	a.Stderr = said
	o := tui.Options{
		Order: order, Group: group, Filter: typedFilter, Within: within, Notes: said.lines,
		In: a.Stdin.(*os.File), Out: a.Stdout.(*os.File),
	}
	if recording != nil {
		recording.Stay()
		o.Tape = recording
	}
	show := func(ctx context.Context, src live.Source) error {
		said.hold()
		defer said.release()
		return tui.Run(ctx, src, o)
	}
	return viewer{show: show}, true
}

// typedFilter reads a filter at each key. Services go by their names; hosts do
// not, because nobody waits for a name server between two keys.
func typedFilter(text string) (func(*live.Flow) bool, error) {
	f, err := filter.Parse(text, filter.Names{Port: func(service string) (uint16, error) {
		port, err := net.LookupPort("tcp", service)
		return uint16(port), err
	}})
	return f.Match, err
}

// asides are lines written to standard error. While they are held, they wait.
type asides struct {
	to io.Writer

	mu      sync.Mutex
	held    bool
	waiting bytes.Buffer
	all     []string
}

// Write takes whole lines, as line prints them.
func (s *asides) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := range bytes.Lines(b) {
		s.all = append(s.all, string(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("unchoke: "))))
	}
	if s.held {
		return s.waiting.Write(b)
	}
	return s.to.Write(b)
}

func (s *asides) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

func (s *asides) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
}

// release prints what waited.
func (s *asides) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	_, _ = s.waiting.WriteTo(s.to)
}
