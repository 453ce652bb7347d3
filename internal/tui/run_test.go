//go:build linux

package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

// terminal is a pseudo-terminal and what was written to it.
type terminal struct {
	t           *testing.T
	master, tty *os.File
	before      unix.Termios

	mu   sync.Mutex
	seen bytes.Buffer
	from int // of seen, what until has looked at
}

func newTerminal(t *testing.T, width, height uint16) *terminal {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	term := &terminal{t: t, master: master, tty: tty}
	term.resize(width, height)
	term.before = term.modes()
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.seen.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { tty.Close(); master.Close(); <-read })
	return term
}

func (term *terminal) resize(width, height uint16) {
	if err := pty.Setsize(term.master, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		term.t.Fatal(err)
	}
}

// winch tells this process of a new size, as the kernel tells those whose
// controlling terminal it is.
func winch(t *testing.T) {
	t.Helper()
	if err := unix.Kill(os.Getpid(), unix.SIGWINCH); err != nil {
		t.Fatal(err)
	}
}

func (term *terminal) modes() unix.Termios {
	got, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS)
	if err != nil {
		term.t.Fatal(err)
	}
	return *got
}

func (term *terminal) types(keys string) {
	if _, err := term.master.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// until waits until a text was written since the last one waited for.
func (term *terminal) until(text string) {
	term.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		term.mu.Lock()
		all := term.seen.String()
		term.mu.Unlock()
		if i := strings.Index(all[term.from:], text); i >= 0 {
			term.from += i + len(text)
			return
		}
		if time.Now().After(end) {
			term.t.Fatalf("no %q; the last was %q", text, all[max(term.from, len(all)-2000):])
		}
	}
}

// restored holds that the terminal is as it was: its modes, the screen, the
// cursor.
func (term *terminal) restored() {
	term.t.Helper()
	if after := term.modes(); after != term.before {
		term.t.Errorf("modes %+v, were %+v", after, term.before)
	}
	term.until("\x1b[?1049l") // xterm's main screen
	term.mu.Lock()
	defer term.mu.Unlock()
	all := term.seen.String()
	if strings.LastIndex(all, "\x1b[?25h") < strings.LastIndex(all, "\x1b[?25l") {
		term.t.Error("the cursor stays hidden")
	}
}

// runs begins Run on the terminal.
func (term *terminal) runs(ctx context.Context, src live.Source) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Run(ctx, src, Options{In: term.tty, Out: term.tty}) }()
	return done
}

func moving() live.Source {
	src := livetest.NewSource(30, 1)
	src.Wait = 20 * time.Millisecond
	return src
}

func (term *terminal) ends(done <-chan error) error {
	term.t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		term.t.Fatal("Run does not end")
		return nil
	}
}

func TestKeysResizeAndQuit(t *testing.T) {
	term := newTerminal(t, 80, 24)
	done := term.runs(t.Context(), moving())
	term.until("\x1b[?1049h")
	term.until("jellyfin")
	if term.modes() == term.before {
		t.Error("the terminal is not raw")
	}
	term.types("?")
	term.until("marks")
	term.types("x")
	term.until("nginx")
	term.resize(140, 40)
	winch(t)
	term.until("least") // a column of wide screens
	term.types("\x1b[B\r")
	term.until("limits")
	term.types("q")
	if err := term.ends(done); err != nil {
		t.Error(err)
	}
	term.restored()
}

func TestRestoredAfterInterrupt(t *testing.T) {
	term := newTerminal(t, 80, 24)
	done := term.runs(t.Context(), moving())
	term.until("jellyfin")
	term.types("\x03")
	if err := term.ends(done); err != nil {
		t.Error(err)
	}
	term.restored()
}

func TestRestoredWhenTheContextEnds(t *testing.T) {
	term := newTerminal(t, 80, 24)
	ctx, cancel := context.WithCancel(t.Context())
	done := term.runs(ctx, moving())
	term.until("jellyfin")
	cancel()
	if err := term.ends(done); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	term.restored()
}

// broken gives one snapshot and then does what a test wants.
type broken struct {
	src  live.Source
	then func() error
}

func (b *broken) Next(ctx context.Context) (*live.Snapshot, error) {
	if src := b.src; src != nil {
		b.src = nil
		return src.Next(ctx)
	}
	time.Sleep(50 * time.Millisecond)
	return nil, b.then()
}

func TestRestoredWhenTheSourceFails(t *testing.T) {
	term := newTerminal(t, 80, 24)
	failure := errors.New("netlink: no buffer space")
	done := term.runs(t.Context(), &broken{moving(), func() error { return failure }})
	if err := term.ends(done); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	term.restored()
}

func TestRestoredAfterPanic(t *testing.T) {
	term := newTerminal(t, 80, 24)
	done := term.runs(t.Context(), &broken{moving(), func() error { panic("a bug") }})
	if err := term.ends(done); err == nil || !strings.Contains(err.Error(), "a bug") || !strings.Contains(err.Error(), "run_test.go") {
		t.Errorf("of a panic: %v", err)
	}
	term.restored()
}
