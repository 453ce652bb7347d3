//go:build !slim

package headers

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"testing"
	"time"
)

// Both ends of a connection see all of its data arrive, by the headers alone.
func TestFollow(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	seen := map[string]*Following{}
	began := time.Now()
	for name, c := range map[string]net.Conn{"sender": near, "receiver": far} {
		h, err := Follow("lo", c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort(), name == "sender", 1448)
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("may not read the headers of packets: run as root")
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = h
	}
	const pieces, piece = 20, 50_000
	go func() {
		for range pieces {
			_, _ = near.Write(make([]byte, piece))
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if _, err := io.CopyN(io.Discard, far, pieces*piece); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the last acknowledgement may come late
	for name, h := range seen {
		p, err := h.End(began)
		if err != nil || p == nil {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		sum := int32(0)
		for _, n := range p.Bytes {
			sum += n
		}
		if sum != pieces*piece || p.Missed != 0 || p.Cut || p.After < 0 || p.After > 5 || len(p.LostAt) != 0 {
			t.Errorf("%s: %d bytes of %d, %d missed, cut %v, after %v s, %d lost", name, sum, pieces*piece, p.Missed, p.Cut, p.After, len(p.LostAt))
		}
	}
}
