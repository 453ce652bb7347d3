package remote_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/remote"
	"unchoke/internal/remote/sshtest"
)

// hole is a port behind which large packets vanish: a connection with full
// segments hears a server's version and no more, one with small segments a real
// sshd.
type hole struct {
	net.Listener
	sshd string // its address
	mu   sync.Mutex
	seen []int // segments in bytes, a connection each
}

func newHole(t *testing.T, server *sshtest.Server) *hole {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hole{Listener: l, sshd: fmt.Sprintf("127.0.0.1:%d", server.Port)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go h.serve(conn)
		}
	}()
	return h
}

func (h *hole) serve(conn net.Conn) {
	defer conn.Close()
	segments := segmentsOf(conn)
	h.mu.Lock()
	h.seen = append(h.seen, segments)
	h.mu.Unlock()
	if segments > 1100 {
		// A server whose key exchange comes to nothing ends the connection at last.
		fmt.Fprint(conn, "SSH-2.0-OpenSSH_9.2p1\r\n")
		in := bufio.NewReader(conn)
		_, _ = in.ReadString('\n')
		var length uint32 // of the packet with the client's algorithms (RFC 4253 §6)
		if binary.Read(in, binary.BigEndian, &length) == nil {
			_, _ = io.CopyN(io.Discard, in, int64(length))
		}
		return
	}
	to, err := net.Dial("tcp", h.sshd)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, conn)
		to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

// segmentsOf is the bound that the other end asked for.
func segmentsOf(conn net.Conn) (bytes int) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { bytes, _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG) })
	}
	return bytes
}

func TestSmallSegments(t *testing.T) {
	server := sshtest.Start(t, sshtest.Options{})
	behind := newHole(t, server)
	target := fmt.Sprintf("ssh://%s@127.0.0.1:%d", server.User, behind.Addr().(*net.TCPAddr).Port)
	h, err := dial(t, target, remote.Options{Protocol: protocol, Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0], "large packets vanish") {
		t.Errorf("warnings %q", h.Warnings)
	}
	if h.Jumps || !h.Address().IsLoopback() {
		t.Errorf("jumps %v, address %v: the relay is this host's own", h.Jumps, h.Address())
	}
	behind.mu.Lock()
	if len(behind.seen) != 2 || behind.seen[1] > 1024 {
		t.Errorf("segments of the connections: %v", behind.seen)
	}
	behind.mu.Unlock()
	s, err := h.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	converse(t, s)
	s.Close()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A way over other hosts is the user's: nothing is put in its place.
	_, err = dial(t, target, remote.Options{Protocol: protocol, Batch: true, Arguments: []string{"-o", fmt.Sprintf("ProxyCommand=%s relay --segments 9000 -- 127.0.0.1 %d", self, behind.Addr().(*net.TCPAddr).Port)}})
	if !errors.Is(err, remote.ErrStalled) {
		t.Errorf("over a command of the user's: %v", err)
	}
}
