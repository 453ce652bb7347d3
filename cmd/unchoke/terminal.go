package main

import (
	"io"
	"os"

	"unchoke/internal/report/render"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// terminal is what is known of the terminal behind the standard streams.
type terminal struct {
	colour   bool // standard output may be coloured
	width    int  // of standard output, in columns
	progress bool // standard error may show a bar
}

// defaultWidth is that of text for no terminal, as in a mail or a pull request.
const defaultWidth = 80

func newTerminal(stdout, stderr io.Writer) terminal {
	t := terminal{width: defaultWidth}
	dumb := os.Getenv("TERM") == "dumb"
	if fd, ok := terminalFD(stdout); ok {
		// no-color.org: any value but the empty one.
		t.colour = os.Getenv("NO_COLOR") == "" && !dumb
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			t.width = w
		}
	}
	_, tty := terminalFD(stderr)
	t.progress = tty && !dumb
	return t
}

func terminalFD(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// progress shows on standard error how far a long step has come: a bar on a
// terminal, nothing elsewhere. The zero value shows nothing.
type progress struct {
	bar *progressbar.ProgressBar
	out io.Writer
}

// progressSteps is the resolution of a bar.
const progressSteps = 1000

// startProgress begins a step; the caller ends it with done.
func (a *app) startProgress(what string) *progress {
	if !a.terminal.progress {
		return &progress{}
	}
	return &progress{out: a.stderr, bar: progressbar.NewOptions(progressSteps,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(render.Printable(what)),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)}
}

// set shows that a share of the step is done, 0 to 1, and what it is at.
func (p *progress) set(share float64, what string) {
	if p.bar == nil {
		return
	}
	p.bar.Describe(render.Printable(what))
	// A bar that cannot be drawn must not fail the work that it is about.
	_ = p.bar.Set(int(min(max(share, 0), 1) * (progressSteps - 1)))
}

// lines leaves lines of text above the bar.
func (p *progress) lines(text render.Painted) {
	if p.bar == nil {
		return
	}
	_ = p.bar.Clear()
	_, _ = io.WriteString(p.out, string(text))
}

// done takes the bar off the screen.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
