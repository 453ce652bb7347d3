//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/cmd/unchoke/internal/ttytest"
)

// runOnTerminal runs this program on a terminal of its own, as a shell does.
func runOnTerminal(t *testing.T, args ...string) (p *exec.Cmd, master *os.File, seen *ttytest.Recorder, restored func()) {
	t.Helper()
	master, tty, seen := ttytest.Open(t)
	modes := func() unix.Termios {
		m, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	before := modes()
	p = &exec.Cmd{
		Path: os.Args[0], Args: append([]string{"unchoke"}, args...), Stdin: tty, Stdout: tty, Stderr: tty,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	restored = func() {
		t.Helper()
		seen.Until(t, "\x1b[?1049l") // the main screen
		if after := modes(); after != before {
			t.Errorf("the terminal's modes are %+v, were %+v", after, before)
		}
		all := seen.String()
		if strings.LastIndex(all, "\x1b[?25h") < strings.LastIndex(all, "\x1b[?25l") {
			t.Error("the cursor stays hidden")
		}
	}
	return p, master, seen, restored
}

// connection is one through loopback that carries data until the test ends, and
// its port.
func connection(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		if c, err := listener.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		for {
			if _, err := c.Write(make([]byte, 1000)); err != nil {
				return
			}
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// The whole program on a terminal: a real connection, keys, a resize, the end by
// a key and by a signal.
func TestWatchProcess(t *testing.T) {
	port := connection(t)
	filter := fmt.Sprintf("dport = %d", port)
	for name, end := range map[string]func(*exec.Cmd, *os.File) error{
		"q":       func(_ *exec.Cmd, master *os.File) error { _, err := master.WriteString("q"); return err },
		"^C":      func(_ *exec.Cmd, master *os.File) error { _, err := master.WriteString("\x03"); return err },
		"SIGTERM": func(p *exec.Cmd, _ *os.File) error { return p.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			p, master, seen, restored := runOnTerminal(t, "watch", "--interval", "100ms", filter)
			seen.Until(t, "only: "+filter)
			seen.Until(t, fmt.Sprintf(":%d", port))
			ttytest.Resize(t, master, 150, 40)
			seen.Until(t, "least") // a column of wide screens
			if _, err := master.WriteString("\x1b[B\r"); err != nil {
				t.Fatal(err)
			}
			seen.Until(t, "ssthresh")
			if err := end(p, master); err != nil {
				t.Fatal(err)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("%v\n%q", err, seen)
			}
			restored()
		})
	}
}

// A recording on a terminal is wound with keys, and stays at its end.
func TestReplayProcess(t *testing.T) {
	port := connection(t)
	file := filepath.Join(t.TempDir(), "flows.tape")
	record := exec.Command(os.Args[0], "watch", "--interval", "100ms", "--for", "800ms", "--record", file, "--plain", fmt.Sprintf("dport = %d", port))
	record.Args[0] = "unchoke"
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, master, seen, restored := runOnTerminal(t, "watch", "--replay", file)
	seen.Until(t, "at its end")
	if _, err := master.WriteString("p+"); err != nil {
		t.Fatal(err)
	}
	seen.Until(t, "paused")
	ttytest.Resize(t, master, 150, 40) // all is drawn again
	seen.Until(t, "recording paused  00:00 of 00:00  ×2")
	if _, err := master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%q", err, seen)
	}
	restored()
}
