package sockdiag

import (
	"net"
	"net/netip"
	"testing"

	"unchoke/internal/linux/messagetest"

	"golang.org/x/sys/unix"
)

// parse reads a message as the lists do.
func parse(b []byte) (Connection, error) {
	var s Socket
	if err := s.parse(b); err != nil {
		return Connection{}, err
	}
	return connection(&s), nil
}

func TestParse(t *testing.T) {
	for name, want := range map[string]Connection{
		"ipv4": {Local: netip.MustParseAddrPort("127.0.0.1:5201"), Remote: netip.MustParseAddrPort("127.0.0.1:40000"), CC: "cubic"},
		"ipv6": {Local: netip.MustParseAddrPort("[::1]:5201"), Remote: netip.MustParseAddrPort("[::1]:40000"), CC: "reno"},
	} {
		if got, err := parse(messagetest.Read(t, name)); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// Cut anywhere, a message fails or parses without the algorithm; it is never
// misread.
func TestTruncated(t *testing.T) {
	whole := messagetest.Read(t, "ipv4")
	for n := range whole {
		if c, err := parse(whole[:n]); err == nil && c.CC != "" && c.CC != "cubic" {
			t.Errorf("cut to %d bytes: %+v", n, c)
		}
	}
	if _, err := parse(whole[:messageSize-1]); err == nil {
		t.Error("a header cut short was accepted")
	}
}

// A connection shows with the algorithm that it was given.
func TestConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var set error
	if err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
	}); err != nil || set != nil {
		t.Fatal(err, set)
	}
	all, err := Connections()
	if err != nil {
		t.Fatal(err)
	}
	local := c.LocalAddr().(*net.TCPAddr).AddrPort()
	for _, x := range all {
		if x.Local == local {
			if x.CC != "reno" || x.Remote.String() != l.Addr().String() || x.Info != nil {
				t.Errorf("%+v", x)
			}
			to, err := To(x.Remote)
			if err != nil || len(to) != 1 || to[0].Local != local || to[0].Info == nil || to[0].Info.RTT <= 0 {
				t.Errorf("to %v: %+v, %v", x.Remote, to, err)
			}
			return
		}
	}
	t.Errorf("%v is not among %d connections", local, len(all))
}
