package packet

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"testing"
	"time"
)

// A connection's packets are seen in both directions, with the kernel's time and
// without their payload, and those of another connection are not.
func TestTap(t *testing.T) {
	for _, network := range []string{"127.0.0.1:0", "[::1]:0"} {
		near, far := connected(t, network)
		other, ignored := connected(t, network)
		local, remote := ends(near)
		tap, err := Open("lo", local, remote)
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("may not read packets: run as root")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer tap.Close()
		began := time.Now()
		exchange(t, other, ignored)
		exchange(t, near, far)
		sent, acked, first := 0, uint32(0), uint32(0)
		for end := began.Add(5 * time.Second); time.Now().Before(end) && acked-first < size; time.Sleep(time.Millisecond) {
			err := tap.Read(func(p Packet) {
				if p.At.Before(began.Add(-time.Second)) || p.At.After(time.Now().Add(time.Second)) {
					t.Errorf("a packet of %v", p.At)
				}
				ip, whole := leastIPv4, 0
				switch {
				case local.Addr().Is4():
					whole = int(binary.BigEndian.Uint16(p.Headers[2:]))
				default:
					ip = ipv6
					whole = ipv6 + int(binary.BigEndian.Uint16(p.Headers[4:]))
				}
				tcp := p.Headers[ip:]
				if len(tcp) != 4*int(tcp[12]>>4) {
					t.Errorf("%d bytes of headers, and of TCP's %d", len(p.Headers), 4*int(tcp[12]>>4))
				}
				source := binary.BigEndian.Uint16(tcp)
				switch {
				case p.Leaves && source == local.Port():
					if first == 0 {
						first = binary.BigEndian.Uint32(tcp[4:])
					}
					sent += whole - ip - len(tcp)
				case !p.Leaves && source == remote.Port():
					acked = binary.BigEndian.Uint32(tcp[8:])
				case source != local.Port() && source != remote.Port():
					t.Errorf("a packet from port %d", source)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if sent != size || acked-first != size {
			t.Errorf("%s: %d bytes left and %d were acknowledged, of %d", network, sent, acked-first, size)
		}
		if missed, err := tap.Missed(); missed != 0 || err != nil {
			t.Errorf("%d missed, %v", missed, err)
		}
	}
}

const (
	size      = 300_000
	leastIPv4 = 20
)

func connected(t *testing.T, address string) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func ends(c net.Conn) (local, remote netip.AddrPort) {
	return c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()
}

func exchange(t *testing.T, near, far net.Conn) {
	t.Helper()
	go func() { _, _ = near.Write(make([]byte, size)) }()
	if _, err := io.CopyN(io.Discard, far, size); err != nil {
		t.Fatal(err)
	}
}
