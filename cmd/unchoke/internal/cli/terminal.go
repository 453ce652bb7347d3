package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is what is known of the terminals behind the standard streams. Either
// may be none, and they may differ.
type Terminal struct {
	out, err screen
}

// screen is what one stream writes to.
type screen struct {
	width  int  // in columns; 0 where it is no terminal
	lively bool // a terminal, where what was written can be taken off again
	colour bool
}

// defaultWidth is that of a terminal that does not say its own.
const defaultWidth = 80

func NewTerminal(stdout, stderr io.Writer) Terminal {
	return Terminal{screenOf(stdout), screenOf(stderr)}
}

func screenOf(w io.Writer) screen {
	fd, tty := TerminalFD(w)
	if !tty {
		return screen{}
	}
	lively := os.Getenv("TERM") != "dumb"
	// no-color.org: any value but the empty one.
	return screen{columns(fd), lively, lively && os.Getenv("NO_COLOR") == ""}
}

// columns is the width of a terminal.
func columns(fd int) int {
	if w, _, err := term.GetSize(fd); err == nil && w > 0 {
		return w
	}
	return defaultWidth
}

func TerminalFD(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}
