// Package sshtest gives tests a real OpenSSH server on loopback.
package sshtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"unchoke/internal/remote/sshd"
)

// Server is a running sshd.
type Server struct {
	*sshd.Server
	cmd *exec.Cmd
	log lockedBuffer
}

// Options of a server.
type Options struct {
	sshd.Options
	// Wrap comes before sshd's command line: unshare and the like.
	Wrap []string
}

// Start runs sshd on a free port of 127.0.0.1 until the test ends, and puts an
// ssh that trusts it in front of the test's PATH. Where OpenSSH is missing, the
// test is skipped.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Port == 0 {
		o.Port = freePort(t)
	}
	if o.Address == "" {
		o.Address = "127.0.0.1"
	}
	if os.Geteuid() == 0 { // privilege separation's directory
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files, err := sshd.New(t.TempDir(), o.Options)
	if errors.Is(err, sshd.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	command, err := files.Command()
	if err != nil {
		t.Fatal(err)
	}
	command = append(o.Wrap, command...)
	s := &Server{Server: files, cmd: exec.Command(command[0], command[1:]...)}
	s.cmd.Stderr = &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	t.Setenv("PATH", s.Bin+":"+os.Getenv("PATH"))
	s.await(t)
	return s
}

// Stop ends the server; connections that are there live on.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Target is the server as unchoke takes it.
func (s *Server) Target() string { return s.Server.Target("127.0.0.1") }

// Log is what sshd wrote.
func (s *Server) Log() string { return s.log.String() }

func (s *Server) await(t testing.TB) {
	t.Helper()
	for range 200 {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port), time.Second)
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("sshd does not listen:\n%s", s.Log())
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
