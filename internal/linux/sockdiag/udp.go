package sockdiag

import "net/netip"

// UDPSocket is a UDP socket of this host.
type UDPSocket struct {
	Inode  uint64 // names it in /proc/PID/fd
	Local  netip.AddrPort
	Remote netip.AddrPort // where it is connected
	// Drops are the packets that had arrived and were thrown away since it was
	// made: nearly all of them since its buffer was full.
	Drops int64
	// Buffer is how many bytes may wait in it, by the kernel's count, in which a
	// packet of 1500 bytes is 2304 or more (SO_RCVBUF); Queued is how many do. Both
	// are 0 where the kernel does not tell.
	Buffer, Queued int64
}

func udpSocket(s *Socket) UDPSocket {
	u := UDPSocket{
		Local: s.Local(), Remote: s.Remote(), Inode: s.Inode(),
		Queued: int64(s.Memory(MemoryReceived)), Buffer: int64(s.Memory(ReceiveBuffer)), Drops: int64(s.Memory(DroppedDatagrams)),
	}
	if u.Remote.Port() == 0 {
		u.Remote = netip.AddrPort{}
	}
	return u
}
