package sockdiag

import (
	"encoding/binary"
	"testing"

	"unchoke/internal/linux/messagetest"
	"unchoke/tcpinfo"
)

// Whatever a message holds, it is refused or every answer can be asked for.
func FuzzSocket(f *testing.F) {
	f.Add(messagetest.Read(f, "ipv4"))
	f.Add(messagetest.Read(f, "ipv6"))
	f.Add(messagetest.Read(f, "whole"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Socket
		if s.parse(b) != nil {
			return
		}
		var info tcpinfo.Info
		if s.Info(&info) != (len(s.info) >= tcpinfo.MinLength) {
			t.Errorf("%d bytes of TCP_INFO", len(s.info))
		}
		s.Local()
		s.Remote()
		_, _, _, _, _, _, _ = s.State(), s.Device(), s.Cookie(), s.Waiting(), s.UID(), s.Inode(), s.Cgroup()
		for m := range DroppedDatagrams + 1 {
			s.Memory(m)
		}
		for _, c := range s.CC() {
			if c == 0 {
				t.Error("the name of a congestion control holds a zero")
			}
		}
	})
}

// An established sender on Linux 6.18, with everything that a sample asks for.
func TestWhole(t *testing.T) {
	var s Socket
	if err := s.parse(messagetest.Read(t, "whole")); err != nil {
		t.Fatal(err)
	}
	var info tcpinfo.Info
	if !s.Info(&info) || info.State != tcpinfo.Established || info.BytesAcked != 300_001 || string(s.CC()) != "bbr" {
		t.Errorf("%+v, %s", info, s.CC())
	}
	type facts struct {
		local, remote                      string
		state                              tcpinfo.State
		inode                              bool
		cgroup                             uint64
		uid, device, waiting, receive      uint32
		send, toSend, received, impossible uint32
	}
	got := facts{
		s.Local().String(), s.Remote().Addr().String(), s.State(), s.Inode() != 0, s.Cgroup(), s.UID(), s.Device(), s.Waiting(),
		s.Memory(ReceiveBuffer), s.Memory(SendBuffer), s.Memory(MemoryToSend), s.Memory(MemoryReceived), s.Memory(99),
	}
	want := facts{"127.0.0.1:53716", "127.0.0.1", tcpinfo.Established, true, 1, 0, 0, 0, 131072, 4194304, 0, 0, 0}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Attributes that lie about their length end the parse, and are not read past.
func TestAttributeLengths(t *testing.T) {
	for _, length := range []uint16{0, 3, 9, 0xffff} {
		b := append(make([]byte, messageSize), 0, 0, attributeCC, 0, 'b', 'b', 'r', 0)
		binary.NativeEndian.PutUint16(b[messageSize:], length)
		var s Socket
		if err := s.parse(b); err == nil {
			t.Errorf("length %d: %q", length, s.CC())
		}
	}
}
