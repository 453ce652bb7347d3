package main

import (
	"fmt"
	"io"

	"unchoke/internal/report/render"
)

// What a command prints comes from reports, which render makes safe, or from
// here: nothing else writes to the standard streams, because targets, records
// and far ends put words into almost every message. A test holds that.

// say prints a line on standard output.
func (a *app) say(format string, args ...any) error { return line(a.stdout, format, args...) }

// tell prints a line on standard error, where it is in nobody's way.
func (a *app) tell(format string, args ...any) { _ = line(a.stderr, format, args...) }

// line prints one line, whatever the words in it.
func line(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, render.Printable(fmt.Sprintf(format, args...)))
	return err
}

// warn tells what could not be read.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		a.tell("unchoke: warning: %s", w)
	}
}

// ask prints a question and leaves the cursor behind it.
func (a *app) ask(question string) {
	fmt.Fprintf(a.stderr, "%s [y/N] ", render.Printable(question))
}

// printJSON prints one document.
func (a *app) printJSON(document any) error { return render.JSON(a.stdout, document) }

// style is that of reports on standard output.
func (a *app) style() render.Style {
	return render.Style{Width: a.terminal.width, Colour: a.terminal.colour}
}
