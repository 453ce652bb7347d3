//go:build linux

package watchcmd

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/live/livetest"

	"unchoke/cmd/unchoke/internal/ttytest"
)

// On a terminal a watch is the table that moves; what others say meanwhile is a
// note in it, and is printed at the end.
func TestWatchOnATerminal(t *testing.T) {
	master, tty, seen := ttytest.Open(t)
	var stderr bytes.Buffer
	a := &cli.App{Stdin: tty, Stdout: tty, Stderr: &stderr, Terminal: cli.NewTerminal(tty, &stderr)}
	var f showFlags
	f.sort = "rate"
	show, err := f.view(a, "dport = 443", nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Tell("unchoke: page at http://127.0.0.1:1/")
	src := livetest.NewSource(10, 1)
	src.Wait = 10 * time.Millisecond
	done := make(chan error, 1)
	go func() { done <- show.show(context.Background(), src) }()
	seen.Until(t, "only: dport = 443")
	seen.Until(t, "note: page at http://127.0.0.1:1/")
	a.Tell("later")
	seen.Until(t, "note: later")
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
	_, tty, _ := ttytest.Open(t)
	a := &cli.App{Stdin: tty, Stdout: tty, Stderr: os.Stderr}
	for _, f := range []showFlags{{json: true}, {plain: true}, {once: true}, {top: 5}} {
		if f.onTerminal(a) {
			t.Errorf("%+v opens the table", f)
		}
	}
	if !(showFlags{}).onTerminal(a) {
		t.Error("a terminal does not open the table")
	}
	if (showFlags{}).onTerminal(&cli.App{Stdin: tty, Stdout: &bytes.Buffer{}}) || (showFlags{}).onTerminal(&cli.App{Stdin: &bytes.Buffer{}, Stdout: tty}) {
		t.Error("a pipe opens the table")
	}
	t.Setenv("TERM", "dumb")
	if (showFlags{}).onTerminal(a) {
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
