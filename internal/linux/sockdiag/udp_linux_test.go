package sockdiag

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A socket whose buffer is full shows how much it threw away.
func TestUDPDrops(t *testing.T) {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	sender, err := net.Dial("udp4", c.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	for range 50 {
		if _, err := sender.Write(make([]byte, 1400)); err != nil {
			t.Fatal(err)
		}
	}
	local := c.LocalAddr().(*net.UDPAddr).AddrPort()
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		all, err := UDP()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.Local == local && s.Drops > 20 && s.Drops < 50 && s.Buffer == 8192 && s.Queued > 0 && s.Inode != 0 && !s.Remote.IsValid() {
				return
			}
			if s.Local == local && time.Now().After(end) {
				t.Fatalf("%+v", s)
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%v is not among %d sockets", local, len(all))
		}
	}
}

// udpMessage is an inet_diag_msg with a socket's memory, of so many words.
func udpMessage(words int) []byte {
	b := make([]byte, messageSize)
	b[0] = unix.AF_INET
	binary.BigEndian.PutUint16(b[4:], 51820)
	binary.NativeEndian.PutUint32(b[68:], 77)
	b = binary.NativeEndian.AppendUint16(b, uint16(4+4*words))
	b = binary.NativeEndian.AppendUint16(b, attributeMemory)
	for i := range words {
		b = binary.NativeEndian.AppendUint32(b, uint32(100+i))
	}
	return b
}

func parseUDP(b []byte) (UDPSocket, error) {
	var s Socket
	if err := s.parse(b); err != nil {
		return UDPSocket{}, err
	}
	return udpSocket(&s), nil
}

func TestParseUDP(t *testing.T) {
	got, err := parseUDP(udpMessage(9))
	if err != nil || got.Inode != 77 || got.Local.Port() != 51820 || got.Queued != 100 || got.Buffer != 101 || got.Drops != 108 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := parseUDP(udpMessage(8)); err != nil || got.Drops != 0 || got.Buffer != 101 {
		t.Errorf("of an older kernel: %+v, %v", got, err)
	}
	whole := udpMessage(9)
	for n := range whole {
		if s, err := parseUDP(whole[:n]); err == nil && s.Drops != 0 {
			t.Errorf("cut to %d bytes: %+v", n, s)
		}
	}
}

func FuzzParseUDP(f *testing.F) {
	f.Add(udpMessage(9))
	f.Add(bytes.Repeat([]byte{10}, 100))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parseUDP(b) })
}
