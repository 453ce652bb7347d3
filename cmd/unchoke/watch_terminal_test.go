//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"unchoke/internal/live/livetest"
)

// recorder keeps what a terminal is sent.
type recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// until waits until a text was sent.
func (r *recorder) until(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(r.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in %q", text, r)
		}
	}
}

// openTerminal is a pseudo-terminal of 80×24 and what it is sent.
func openTerminal(t *testing.T) (master, tty *os.File, seen *recorder) {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	seen = &recorder{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = seenFrom(seen, master)
	}()
	t.Cleanup(func() { tty.Close(); master.Close(); <-read })
	return master, tty, seen
}

func seenFrom(r *recorder, master *os.File) (int64, error) {
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

// On a terminal a watch is the table that moves; what others say meanwhile is a
// note in it, and is printed at the end.
func TestWatchOnATerminal(t *testing.T) {
	master, tty, seen := openTerminal(t)
	var stderr bytes.Buffer
	a := &app{stdin: tty, stdout: tty, stderr: &stderr, terminal: newTerminal(tty, &stderr)}
	var f watchFlags
	f.sort = "rate"
	show, err := f.view(a, "dport = 443", nil)
	if err != nil {
		t.Fatal(err)
	}
	a.tell("unchoke: page at http://127.0.0.1:1/")
	src := livetest.NewSource(10, 1)
	src.Wait = 10 * time.Millisecond
	done := make(chan error, 1)
	go func() { done <- show.show(context.Background(), src) }()
	seen.until(t, "only: dport = 443")
	seen.until(t, "note: page at http://127.0.0.1:1/")
	a.tell("later")
	seen.until(t, "note: later")
	if strings.Contains(stderr.String(), "later") {
		t.Error("standard error was written across the table")
	}
	if _, err := master.WriteString("/process = nginx\rq"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if want := "unchoke: page at http://127.0.0.1:1/\nlater\n"; stderr.String() != want {
		t.Errorf("standard error has %q, want %q", &stderr, want)
	}
}

// Where text is asked for, or nothing can move a cursor, there is no table.
func TestWatchAsText(t *testing.T) {
	_, tty, _ := openTerminal(t)
	a := &app{stdin: tty, stdout: tty, stderr: os.Stderr}
	for _, f := range []watchFlags{{json: true}, {plain: true}, {once: true}, {top: 5}} {
		if f.onTerminal(a) {
			t.Errorf("%+v opens the table", f)
		}
	}
	if !(watchFlags{}).onTerminal(a) {
		t.Error("a terminal does not open the table")
	}
	if (watchFlags{}).onTerminal(&app{stdin: tty, stdout: &bytes.Buffer{}}) || (watchFlags{}).onTerminal(&app{stdin: &bytes.Buffer{}, stdout: tty}) {
		t.Error("a pipe opens the table")
	}
	t.Setenv("TERM", "dumb")
	if (watchFlags{}).onTerminal(a) {
		t.Error("a terminal that cannot move its cursor opens the table")
	}
}

func TestTypedFilter(t *testing.T) {
	match, err := typedFilter("process = nginx and sport = https")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range livetest.Flows(16, 1) {
		if match(&f) {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d flows pass", n)
	}
	for _, text := range []string{"rtt >", "dst example.org", "sport = nosuchservice"} {
		if _, err := typedFilter(text); err == nil {
			t.Errorf("%q is a filter", text)
		}
	}
}
