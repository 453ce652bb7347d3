package sockdiag

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"unchoke/tcpinfo"
)

// Of linux/inet_diag.h.
const (
	attributeInfo   = 2  // INET_DIAG_INFO
	attributeCC     = 4  // INET_DIAG_CONG
	attributeMemory = 7  // INET_DIAG_SKMEMINFO
	attributeCgroup = 21 // INET_DIAG_CGROUP_ID, Linux 5.9

	messageSize   = 72 // struct inet_diag_msg
	attributeHead = 4  // struct nlattr
)

// familyIPv6 is AF_INET6 as Linux numbers it.
const (
	familyIPv4 = 2
	familyIPv6 = 10
)

var errShort = errors.New("message too short")

// Socket is what one message of the kernel's tells of a socket. It points into
// the buffer that the message was read into: it is valid until the function
// that was handed it returns.
type Socket struct {
	message []byte // struct inet_diag_msg
	info    []byte // struct tcp_info
	cc      []byte
	memory  []byte // 32 bits each, see Memory
	cgroup  uint64
}

// parse reads a struct inet_diag_msg and its attributes.
func (s *Socket) parse(b []byte) error {
	if len(b) < messageSize {
		return errShort
	}
	*s = Socket{message: b[:messageSize]}
	for b = b[messageSize:]; len(b) >= attributeHead; {
		n := int(binary.NativeEndian.Uint16(b))
		if n < attributeHead || n > len(b) {
			return errShort
		}
		value := b[attributeHead:n]
		switch binary.NativeEndian.Uint16(b[2:]) {
		case attributeInfo:
			s.info = value
		case attributeCC:
			s.cc = untilNUL(value)
		case attributeMemory:
			s.memory = value
		case attributeCgroup:
			if len(value) >= 8 {
				s.cgroup = binary.NativeEndian.Uint64(value)
			}
		}
		b = b[min(aligned(n), len(b)):]
	}
	return nil
}

// aligned is where in a message what follows n bytes begins (NLA_ALIGN).
func aligned(n int) int { return (n + 3) &^ 3 }

func untilNUL(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

// State is the connection's.
func (s *Socket) State() tcpinfo.State { return tcpinfo.State(s.message[1]) }

// Local is this end's address and port. An IPv4 address in an IPv6 socket is
// an IPv4 address.
func (s *Socket) Local() netip.AddrPort { return s.end(4, 8) }

// Remote is the other end's; its port is 0 where the socket is not connected.
func (s *Socket) Remote() netip.AddrPort { return s.end(6, 24) }

// end reads struct inet_diag_sockid, in network order.
func (s *Socket) end(port, address int) netip.AddrPort {
	addr := netip.AddrFrom4([4]byte(s.message[address:]))
	if s.message[0] == familyIPv6 {
		addr = netip.AddrFrom16([16]byte(s.message[address:])).Unmap()
	}
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(s.message[port:]))
}

func (s *Socket) word(at int) uint32 { return binary.NativeEndian.Uint32(s.message[at:]) }

// Device is the index of the device that the socket is bound to, or 0.
func (s *Socket) Device() uint32 { return s.word(40) }

// Cookie is the socket's alone as long as the host runs.
func (s *Socket) Cookie() uint64 { return uint64(s.word(44)) | uint64(s.word(48))<<32 }

// Waiting is how many bytes have arrived that the program has not read.
func (s *Socket) Waiting() uint32 { return s.word(56) }

// UID is the user who made it. Of a socket that has ended it is 0.
func (s *Socket) UID() uint32 { return s.word(64) }

// Inode names the socket in /proc/PID/fd; 0 where no program holds it any more.
func (s *Socket) Inode() uint64 { return uint64(s.word(68)) }

// Cgroup is the number of the control group (version 2) in which it was made;
// 0 where the kernel does not tell.
func (s *Socket) Cgroup() uint64 { return s.cgroup }

// CC is the name of its congestion control; empty where the kernel does not
// tell, as of a socket that has ended.
func (s *Socket) CC() []byte { return s.cc }

// Info reads its TCP_INFO; false where there is none.
func (s *Socket) Info(into *tcpinfo.Info) bool { return into.Decode(s.info) == nil }

// Memory is one of a socket's counts of memory: a place in the array of
// SK_MEMINFO (linux/sock_diag.h).
type Memory int

// The counts are in bytes as the kernel keeps them, which counts a segment's
// own memory too.
const (
	MemoryReceived   Memory = 0 // SK_MEMINFO_RMEM_ALLOC: waits to be read, or stands behind a hole
	ReceiveBuffer    Memory = 1 // SK_MEMINFO_RCVBUF
	SendBuffer       Memory = 3 // SK_MEMINFO_SNDBUF
	MemoryToSend     Memory = 5 // SK_MEMINFO_WMEM_QUEUED: in the send buffer
	DroppedDatagrams Memory = 8 // SK_MEMINFO_DROPS, in packets; Linux 4.7
)

// Memory is 0 where the kernel does not tell.
func (s *Socket) Memory(m Memory) uint32 {
	if len(s.memory) < 4*(int(m)+1) {
		return 0
	}
	return binary.NativeEndian.Uint32(s.memory[4*m:])
}
