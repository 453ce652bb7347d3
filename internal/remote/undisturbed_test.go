//go:build unix

package remote

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/remote/sshtest"
)

// ^C and a terminal that is closed reach ssh as well, and the connection lasts until
// this process ends it.
func TestUndisturbed(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{})
	at, err := ParseTarget(server.Target())
	if err != nil {
		t.Fatal(err)
	}
	h, err := Dial(t.Context(), at, Options{Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if err := h.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	session, err := h.Session(t.Context()) // which begins after the signals
	if err != nil {
		t.Fatal(err)
	}
	if hello, err := bufio.NewReader(session).ReadString('\n'); err != nil || !strings.HasPrefix(hello, "hello ") {
		t.Errorf("%q, %v", hello, err)
	}
}

// A login that is given up ends at once, whatever ssh waits for.
func TestGivenUp(t *testing.T) {
	if err := needSSH(Target{}); err != nil {
		t.Skipf("needs ssh: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // and no word from it
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := l.Accept(); err == nil {
			defer conn.Close()
			cancel()
			<-t.Context().Done()
		}
	}()
	began := time.Now()
	_, err = Dial(ctx, Target{Host: "127.0.0.1", Port: uint16(l.Addr().(*net.TCPAddr).Port)}, Options{Batch: true})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if took := time.Since(began); took > connectTimeout/2 {
		t.Errorf("it took %v", took)
	}
}
