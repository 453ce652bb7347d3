package sockdiag

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/messagetest"
	"unchoke/tcpinfo"
)

// pair makes a connection to this host and returns both ends' addresses.
func pair(t *testing.T, network, address string) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skipf("cannot listen on %s: %v", address, err)
	}
	defer l.Close()
	near, err = net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func ends(c net.Conn) (local, remote netip.AddrPort) {
	return c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()
}

func dumper(t *testing.T) *Dumper {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// One dump has both families; the same dumper lists again, and each match finds
// what its own predicate finds.
func TestDump(t *testing.T) {
	four, _ := pair(t, "tcp4", "127.0.0.1:0")
	six, _ := pair(t, "tcp6", "[::1]:0")
	d := dumper(t)
	local4, remote4 := ends(four)
	local6, remote6 := ends(six)
	ours := []netip.AddrPort{local4, remote4, local6, remote6}
	matches := []Match{
		{},
		{LocalPort: local4.Port()},
		{RemotePort: remote6.Port()},
		{LocalPort: local4.Port(), RemotePort: remote6.Port()},
		{Local: netip.MustParsePrefix("127.0.0.0/8")},
		{Remote: netip.MustParsePrefix("::1/128"), RemotePort: remote6.Port()},
		{Local: netip.MustParsePrefix("127.0.0.1/32"), LocalPort: local4.Port(), Remote: netip.MustParsePrefix("127.0.0.0/9"), RemotePort: remote4.Port()},
		{Local: netip.MustParsePrefix("10.0.0.0/8")},
	}
	for _, m := range matches {
		found := map[netip.AddrPort]int{}
		err := d.TCP(m, func(s *Socket) {
			if !m.Holds(s.Local(), s.Remote()) {
				t.Errorf("%+v: the kernel lets %v to %v through", m, s.Local(), s.Remote())
			}
			found[s.Local()]++
			if !slices.Contains(ours, s.Local()) {
				return // a program's that is just closing it has no tcp_info
			}
			var info tcpinfo.Info
			if !s.Info(&info) || len(s.CC()) == 0 || s.Cookie() == 0 || s.Memory(ReceiveBuffer) == 0 {
				t.Errorf("%v: %q, %+v", s.Local(), s.CC(), info)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ local, remote netip.AddrPort }{{local4, remote4}, {remote4, local4}, {local6, remote6}, {remote6, local6}} {
			want := 0
			if m.Holds(c.local, c.remote) {
				want = 1
			}
			if found[c.local] != want {
				t.Errorf("%+v: %v is there %d times, want %d", m, c.local, found[c.local], want)
			}
		}
	}
}

// Listing the same sockets again allocates nothing for each of them.
func TestDumpAllocates(t *testing.T) {
	for range 20 {
		pair(t, "tcp4", "127.0.0.1:0")
	}
	d := dumper(t)
	seen := 0
	var info tcpinfo.Info
	n := testing.AllocsPerRun(20, func() {
		if err := d.TCP(Match{}, func(s *Socket) {
			s.Info(&info)
			s.Local()
			seen++
		}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 10 || seen < 40 {
		t.Errorf("%v allocations a dump of %d sockets", n, seen/21)
	}
}

// A dump that the kernel says was interrupted, one that ended with an error, and
// the remains of an earlier one.
func TestAnswers(t *testing.T) {
	body := messagetest.Read(t, "whole")
	answer := func(kind, flags uint16, sequence uint32, body []byte) []byte {
		b := binary.NativeEndian.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
		b = binary.NativeEndian.AppendUint16(b, kind)
		b = binary.NativeEndian.AppendUint16(b, flags)
		b = binary.NativeEndian.AppendUint32(b, sequence)
		b = append(b, 0, 0, 0, 0)
		return append(b, body...)
	}
	code := func(errno int32) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(-errno)) }
	one := slices.Clip(answer(tcpDiagGetSock, 0, 7, body))
	for name, c := range map[string]struct {
		b    []byte
		seen int
		done bool
		want error
	}{
		"whole":       {append(one, answer(unix.NLMSG_DONE, 0, 7, code(0))...), 1, true, nil},
		"more":        {one, 1, false, nil},
		"interrupted": {slices.Concat(answer(tcpDiagGetSock, unix.NLM_F_DUMP_INTR, 7, body), one), 2, false, ErrInterrupted},
		"at its end":  {answer(unix.NLMSG_DONE, unix.NLM_F_DUMP_INTR, 7, code(0)), 0, true, ErrInterrupted},
		"failed":      {append(one, answer(unix.NLMSG_ERROR, 0, 7, code(int32(unix.ENOENT)))...), 1, true, unix.ENOENT},
		"an old one":  {append(answer(tcpDiagGetSock, 0, 6, body), answer(unix.NLMSG_DONE, 0, 6, nil)...), 0, false, nil},
		"one broken":  {slices.Concat(answer(tcpDiagGetSock, 0, 7, body[:52]), one), 1, false, errShort},
		"cut":         {one[:len(one)-1], 0, false, errShort},
		"header cut":  {one[:8], 0, false, errShort},
	} {
		d := Dumper{sequence: 7}
		seen := 0
		done, err := d.answers(c.b, func(*Socket) { seen++ })
		if seen != c.seen || done != c.done || !errors.Is(err, c.want) {
			t.Errorf("%s: %d sockets, done %v, %v", name, seen, done, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add(append(binary.NativeEndian.AppendUint32(nil, 456), make([]byte, 452)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := Dumper{}
		_, _ = d.answers(b, func(s *Socket) { s.Local(); s.CC() })
		var s Socket
		_ = s.Parse(b)
	})
}

// The end of a connection comes with its last figures; a closed listener is
// none. What finds no room is counted.
func TestEnds(t *testing.T) {
	e, err := Listen(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if n, err := e.Buffer(); err != nil || n < 64<<10 {
		t.Errorf("a buffer of %d bytes, %v", n, err)
	}
	near, far := pair(t, "tcp4", "127.0.0.1:0")
	local, remote := ends(near)
	if _, err := near.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if _, err := far.Read(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	near.Close()
	far.Close()
	found := make(chan tcpinfo.Info, 1)
	go func() {
		b := make([]byte, MessageSpace)
		for {
			n, err := e.Read(b)
			if err != nil {
				close(found)
				return
			}
			var s Socket
			if err := s.Parse(b[:n]); err != nil {
				t.Error(err)
				continue
			}
			var info tcpinfo.Info
			if s.Local() == local && s.Remote() == remote && s.Info(&info) {
				found <- info
			}
		}
	}()
	select {
	case info := <-found:
		if info.BytesSent != 1000 || info.BytesAcked < 1000 {
			t.Errorf("%d bytes sent, %d acknowledged", info.BytesSent, info.BytesAcked)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("its end did not come")
	}
	e.Close()
	for range found {
	}
	if _, err := e.Read(make([]byte, MessageSpace)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Nothing reads, and the buffer is small: every end is read later or counted.
func TestEndsAreCounted(t *testing.T) {
	e, err := Listen(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const connections = 100
	mine := map[netip.AddrPort]bool{}
	for range connections {
		near, far := pair(t, "tcp4", "127.0.0.1:0")
		local, _ := ends(near)
		mine[local] = true
		near.Close()
		far.Close()
	}
	time.Sleep(100 * time.Millisecond)
	lost, err := e.Lost()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	b := make([]byte, MessageSpace)
	for range connections * 3 {
		if e.file.SetReadDeadline(time.Now().Add(100*time.Millisecond)) != nil {
			t.Fatal("no deadline")
		}
		n, err := e.Read(b)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		var s Socket
		if err == nil && s.Parse(b[:n]) == nil {
			read++
		}
	}
	// Both ends, and a listener each.
	if lost == 0 || int64(read)+lost < 3*connections {
		t.Errorf("%d read, %d lost, want %d together", read, lost, 3*connections)
	}
}
