package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// Options say how the terminal begins. The zero value sorts by rate and shows
// every flow that is open.
type Options struct {
	Order  table.Order
	Group  table.By // "": none
	Closed bool     // flows that have closed are shown too
	// Filter reads a filter as the user types it; nil: there is none. FilterText
	// is the one to begin with.
	Filter     func(string) (func(*live.Flow) bool, error)
	FilterText string
	// Within says in words which flows the source has at all; "": every one.
	Within string
	// Notes are told beside those of the snapshots: where a page is served, say.
	// They may become more.
	Notes func() []string
	// Tape winds the source, where it is a recording.
	Tape Tape
	// In and Out are the terminal; nil: the standard streams.
	In, Out *os.File
}

// Run shows the snapshots of a source until the user quits, the source fails or
// the context ends; of a source that has no more, it keeps showing the last. The
// terminal is then as it was before, also after a panic. It returns the source's
// error, and the context's.
func Run(ctx context.Context, src live.Source, o Options) error {
	m, err := newModel(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.next = func() (msg tea.Msg) {
		// A source that panics ends the program as one that fails does: the terminal
		// is restored first, and the stack is legible.
		defer func() {
			if bug := recover(); bug != nil {
				msg = snapshotMsg{nil, fmt.Errorf("panic: %v\n%s", bug, debug.Stack())}
			}
		}()
		s, err := src.Next(ctx)
		return snapshotMsg{s, err}
	}
	options := []tea.ProgramOption{tea.WithoutSignalHandler()}
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	if o.Out != nil {
		options = append(options, tea.WithOutput(o.Out))
	}
	program := tea.NewProgram(m, options...)
	// A program that quits waits for its reader of keys; one whose context ends
	// leaves it behind, at the terminal.
	defer context.AfterFunc(ctx, program.Quit)()
	last, err := program.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("show flows on the terminal: %w", err)
	}
	if shown, ok := last.(model); ok && shown.err != nil && !errors.Is(shown.err, context.Canceled) {
		return shown.err
	}
	return nil
}
