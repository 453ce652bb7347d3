//go:build linux

// Package ttytest opens pseudo-terminals and records what they are sent.
package ttytest

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Recorder keeps what a terminal is sent.
type Recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *Recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *Recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// Until waits until a text was sent.
func (r *Recorder) Until(t testing.TB, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(r.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in %q", text, r)
		}
	}
}

// Open opens a pseudo-terminal of 80×24 and records what it is sent.
func Open(t testing.TB) (master, tty *os.File, seen *Recorder) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	Resize(t, master, 80, 24)
	seen = &Recorder{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = seenFrom(seen, master)
	}()
	t.Cleanup(func() { tty.Close(); master.Close(); <-read })
	return master, tty, seen
}

// Resize makes a pseudo-terminal so many columns wide and rows high.
func Resize(t testing.TB, tty *os.File, columns, rows uint16) {
	t.Helper()
	if err := pty.Setsize(tty, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

func seenFrom(r *Recorder, master *os.File) (int64, error) {
	buf, n := make([]byte, 1<<16), int64(0)
	for {
		got, err := master.Read(buf)
		_, _ = r.Write(buf[:got])
		n += int64(got)
		if err != nil {
			return n, err
		}
	}
}
