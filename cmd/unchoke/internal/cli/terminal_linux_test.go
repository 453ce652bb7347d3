package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"unchoke/cmd/unchoke/internal/ttytest"
)

// Text is as wide as standard output, and the bar as standard error, of which
// either may be no terminal.
func TestEachStreamHasItsWidth(t *testing.T) {
	_, tty, _ := ttytest.Open(t)
	ttytest.Resize(t, tty, 60, 24)
	file, err := os.Create(filepath.Join(t.TempDir(), "report"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	t.Setenv("NO_COLOR", "")
	none, some := screen{}, screen{60, true, true}
	if got, want := NewTerminal(file, tty), (Terminal{none, some}); got != want {
		t.Errorf("with a file for standard output: %+v", got)
	}
	if got, want := NewTerminal(tty, &bytes.Buffer{}), (Terminal{some, none}); got != want {
		t.Errorf("with a pipe for standard error: %+v", got)
	}
	a := &App{Terminal: NewTerminal(file, tty)}
	if got := a.ErrStyle(); got.Width != 60 || !got.Colour || a.Style().Width != 0 || a.Style().Colour {
		t.Errorf("styles %+v and %+v", a.Style(), got)
	}
	t.Setenv("TERM", "dumb")
	if got, want := NewTerminal(tty, tty).err, (screen{width: 60}); got != want {
		t.Errorf("on a terminal that cannot take a bar off: %+v", got)
	}
}
