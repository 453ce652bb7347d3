package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is what is known of the terminal behind the standard streams.
type Terminal struct {
	colour   bool // standard output may be coloured
	width    int  // of standard output, in columns
	progress bool // standard error may show a bar
}

// defaultWidth is that of text for no terminal, as in a mail or a pull request.
const defaultWidth = 80

func NewTerminal(stdout, stderr io.Writer) Terminal {
	t := Terminal{width: defaultWidth}
	dumb := os.Getenv("TERM") == "dumb"
	if fd, ok := TerminalFD(stdout); ok {
		// no-color.org: any value but the empty one.
		t.colour = os.Getenv("NO_COLOR") == "" && !dumb
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			t.width = w
		}
	}
	_, tty := TerminalFD(stderr)
	t.progress = tty && !dumb
	return t
}

func TerminalFD(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}
