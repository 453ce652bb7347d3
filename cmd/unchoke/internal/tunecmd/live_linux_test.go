//go:build !slim

package tunecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/linux/cc"
	tunelive "unchoke/internal/tune/live"
	"unchoke/internal/tune/outcome"
	"unchoke/tcpinfo"
)

// A run that ^C ends while it waits for one connection tells that it has changed
// the other.
func TestInterruptedLive(t *testing.T) {
	if err := tunelive.Able(); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sound, _ := connected(t, l)
	recovering, far := connected(t, l)
	dropAll(t, far)
	if _, err := recovering.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	until(t, "the connection recovers from loss", func() bool { return information(t, recovering).CAState == tcpinfo.CALoss })
	to := another(t, algorithmOf(t, sound))
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr bytes.Buffer
	a := &cli.App{Stdout: &stdout, Stderr: &stderr}
	f := liveFlags{actFlags: actFlags{dir: dir}, cc: to, yes: true, over: 100 * time.Millisecond, wait: time.Minute}
	ended := make(chan error, 1)
	go func() {
		ended <- changeLive(ctx, a, fmt.Sprintf("dport = %d", l.Addr().(*net.TCPAddr).Port), f)
	}()
	until(t, "the sound connection is changed", func() bool {
		select {
		case err := <-ended:
			if e, is := errors.AsType[*exitError](err); is && e.status == outcome.ExitRefused {
				t.Skip(err) // a sandbox lends no sockets
			}
			t.Fatalf("it ended by itself: %v\n%s%s", err, &stdout, &stderr)
		default:
		}
		return algorithmOf(t, sound) == to
	})
	interrupt()
	err = <-ended
	want := "unchoke: warning: changed to " + to + " already: 1 connection; unchoke tune live --revert gives the old algorithm back\n"
	if !errors.Is(err, context.Canceled) || stderr.String() != want {
		t.Errorf("%v\n%swant\n%s", err, &stderr, want)
	}
}

// connected is a new connection to l, from both ends.
func connected(t *testing.T, l net.Listener) (near, far *net.TCPConn) {
	t.Helper()
	a, err1 := net.Dial("tcp4", l.Addr().String())
	b, err2 := l.Accept()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// dropAll lets nothing reach a connection any more.
func dropAll(t *testing.T, c *net.TCPConn) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	nothing := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing})
	})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
}

func information(t *testing.T, c *net.TCPConn) tcpinfo.Info {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	info, err := tcpinfo.Get(raw)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func algorithmOf(t *testing.T, c *net.TCPConn) string {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	name, _, err := tcpinfo.GetCC(raw)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// another is an algorithm that this kernel has beside one.
func another(t *testing.T, one string) string {
	t.Helper()
	for _, name := range []string{"reno", "cubic", "bbr"} {
		if have, err := cc.Probe(name); name != one && err == nil && have == cc.Yes {
			return name
		}
	}
	t.Skip("this kernel has one congestion control only")
	return ""
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
