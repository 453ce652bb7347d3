package sockdiag

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

const (
	diagMemory = 7 // INET_DIAG_SKMEMINFO
	// Places in its array of 32 bits each (linux/sock_diag.h).
	memoryQueued  = 0 // SK_MEMINFO_RMEM_ALLOC
	memoryReceive = 1 // SK_MEMINFO_RCVBUF
	memoryDrops   = 8 // SK_MEMINFO_DROPS, Linux 4.7

	inodeAt   = 68 // of idiag_inode in struct inet_diag_msg
	allStates = 0xffff_ffff
)

// UDP lists the UDP sockets of both families.
func UDP() ([]UDPSocket, error) {
	conn, err := netlink.Dial(unix.NETLINK_INET_DIAG, nil)
	if err != nil {
		return nil, fmt.Errorf("list UDP sockets: %w", err)
	}
	defer conn.Close()
	var all []UDPSocket
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		b := request(family, 1<<(diagMemory-1))
		b[1] = unix.IPPROTO_UDP
		binary.NativeEndian.PutUint32(b[4:], allStates)
		replies, err := conn.Execute(netlink.Message{
			Header: netlink.Header{Type: sockDiagByFamily, Flags: netlink.Request | netlink.Dump},
			Data:   b,
		})
		if err != nil {
			return nil, fmt.Errorf("list UDP sockets: %w", err)
		}
		for _, r := range replies {
			s, err := parseUDP(r.Data)
			if err != nil {
				return nil, fmt.Errorf("list UDP sockets: %w", err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// parseUDP reads a struct inet_diag_msg and the socket's memory.
func parseUDP(b []byte) (UDPSocket, error) {
	c, err := parse(b)
	if err != nil {
		return UDPSocket{}, err
	}
	s := UDPSocket{Local: c.Local, Remote: c.Remote, Inode: uint64(binary.NativeEndian.Uint32(b[inodeAt:]))}
	if s.Remote.Port() == 0 {
		s.Remote = netip.AddrPort{}
	}
	ad, err := netlink.NewAttributeDecoder(b[messageSize:])
	if err != nil {
		return UDPSocket{}, err
	}
	for ad.Next() {
		if ad.Type() != diagMemory {
			continue
		}
		m := ad.Bytes()
		word := func(i int) int64 {
			if len(m) < 4*(i+1) {
				return 0 // of an older kernel
			}
			return int64(binary.NativeEndian.Uint32(m[4*i:]))
		}
		s.Queued, s.Buffer, s.Drops = word(memoryQueued), word(memoryReceive), word(memoryDrops)
	}
	return s, ad.Err()
}
