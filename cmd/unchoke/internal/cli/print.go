package cli

import (
	"fmt"
	"io"

	"unchoke/internal/report/render"
)

// What a command prints comes from reports, which render makes safe, or from
// here: nothing else writes to the standard streams, because targets, records
// and far ends put words into almost every message. A test holds that.

// Say prints a line on standard output.
func (a *App) Say(format string, args ...any) error { return line(a.Stdout, format, args...) }

// Tell prints a line on standard error, where it is in nobody's way.
func (a *App) Tell(format string, args ...any) { _ = line(a.Stderr, format, args...) }

// line prints one line, whatever the words in it.
func line(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// Warn tells what could not be read.
func (a *App) Warn(warnings []string) {
	for _, w := range warnings {
		a.Tell("unchoke: warning: %s", w)
	}
}

// Ask prints a question and leaves the cursor behind it.
func (a *App) Ask(question string) {
	fmt.Fprintf(a.Stderr, "%s [y/N] ", render.Printable(question))
}

// PrintJSON prints one document.
func (a *App) PrintJSON(document any) error { return render.JSON(a.Stdout, document) }

// Style is that of reports on standard output.
func (a *App) Style() render.Style { return a.Terminal.out.style() }

// ErrStyle is that of what is shown on standard error.
func (a *App) ErrStyle() render.Style { return a.Terminal.err.style() }

func (s screen) style() render.Style { return render.Style{Width: s.width, Colour: s.colour} }
