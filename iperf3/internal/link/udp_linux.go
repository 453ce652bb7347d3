package link

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/iperf3/internal/pace"
)

const (
	// maxSegments is how many datagrams UDP_SEGMENT takes at once
	// (UDP_MAX_SEGMENTS was 64 before Linux 6.9, and 128 since).
	maxSegments = 64
	maxGSOBytes = 65535 - 40 - 8 // of payload: an IPv6 packet's length less its headers
	// sendmmsg takes up to so many datagrams, and a sender keeps no more bytes for
	// them: there may be 256 of them.
	sendBatch      = 64
	sendBatchBytes = 128 << 10
)

// NewUDP takes the socket over; the caller's is closed. With stamps, which
// Options.Stamps has asked for, each datagram's arrival is the kernel's own;
// without, datagrams may come aggregated, with one time for all.
func NewUDP(conn net.Conn, stamps bool) (UDP, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return &netUDP{conn: conn}, nil
	}
	l, err := newRawUDP(sc, stamps)
	if err != nil {
		return nil, err
	}
	conn.Close()
	return l, nil
}

// BorrowUDP is NewUDP for a socket that its owner uses again once it is closed here.
func BorrowUDP(conn *net.UDPConn, stamps bool) (UDP, error) {
	l, err := newRawUDP(conn, stamps)
	if err != nil {
		return nil, err
	}
	l.borrowed = true
	return l, nil
}

func newRawUDP(conn syscall.Conn, stamps bool) (*rawUDP, error) {
	fd, err := rawFD(conn)
	if err != nil {
		return nil, err
	}
	l := &rawUDP{fd: fd, gso: true}
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := setTimeout(fd, option, PollEvery); err != nil {
			l.Close()
			return nil, fmt.Errorf("set the socket's time limit: %w", err)
		}
	}
	l.stamps = stamps
	if !stamps {
		l.gro = unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) == nil // since Linux 5.0
	}
	return l, nil
}

// rawUDP moves datagrams by blocking system calls.
type rawUDP struct {
	fd       int
	gso, gro bool
	borrowed bool      // its owner uses it again
	stamps   bool      // each datagram tells when it arrived
	last     time.Time // when something was received last
	rest     *Sleeper
	hurry    bool // datagrams come so fast that they are taken in groups
	done     atomic.Bool
	out      []mmsg
	outIov   []unix.Iovec
	in       []inbox
	inMsgs   []mmsg
}

// mmsg is struct mmsghdr; the compiler pads it as C does.
type mmsg struct {
	hdr unix.Msghdr
	n   uint32
}

func (l *rawUDP) MaxBatch(size int) int {
	if n := min(maxSegments, maxGSOBytes/size); l.gso && n > 1 {
		return n
	}
	return max(1, min(sendBatch, sendBatchBytes/size))
}

func (l *rawUDP) Send(p []byte, n int) (int, error) {
	size := len(p) / n
	if n == 1 {
		if _, err := unix.Write(l.fd, p); err != nil {
			return l.took(0, err)
		}
		return 1, nil
	}
	// A group for one wake of a paced sender leaves as separate packets, for
	// a large one their cost counts.
	if l.gso && n > pace.MinGroup && len(p) <= maxGSOBytes && n <= maxSegments {
		err := l.sendSegments(p, size)
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, unix.EMSGSIZE), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EIO), errors.Is(err, unix.EOPNOTSUPP):
			l.gso = false // datagrams beyond the MTU, an old kernel, or a device without checksums
		default:
			return l.took(0, err)
		}
	}
	return l.took(l.sendMany(p, n, size))
}

// took turns what the kernel says into what UDP promises.
func (l *rawUDP) took(n int, err error) (int, error) {
	switch {
	case n > 0, err == nil, errors.Is(err, unix.EINTR):
		return n, nil
	case errors.Is(err, unix.EAGAIN):
		return 0, ErrFull
	case errors.Is(err, unix.ENOBUFS):
		return 0, ErrDropped
	case errors.Is(err, unix.ECONNREFUSED):
		// An ICMP message about an earlier datagram. The peer may have closed
		// its socket since the test is over, which the control connection will
		// tell.
		return 0, ErrDropped
	}
	return 0, fmt.Errorf("send a datagram: %w", err)
}

// sendSegments sends p as datagrams of size bytes by UDP_SEGMENT: all or none.
func (l *rawUDP) sendSegments(p []byte, size int) error {
	var aligned [4]uint64
	control := unsafe.Slice((*byte)(unsafe.Pointer(&aligned)), unix.CmsgSpace(2))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&aligned))
	h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	h.SetLen(unix.CmsgLen(2))
	binary.NativeEndian.PutUint16(control[unix.CmsgLen(0):], uint16(size))
	_, err := unix.SendmsgN(l.fd, p, control, nil, 0)
	return err
}

func (l *rawUDP) sendMany(p []byte, n, size int) (int, error) {
	n = min(n, sendBatch)
	if l.out == nil {
		l.out, l.outIov = make([]mmsg, sendBatch), make([]unix.Iovec, sendBatch)
		for i := range l.out {
			l.out[i].hdr.Iov = &l.outIov[i]
			l.out[i].hdr.SetIovlen(1)
		}
	}
	for i := range n {
		l.outIov[i].Base = &p[i*size]
		l.outIov[i].SetLen(size)
	}
	took, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(l.fd), uintptr(unsafe.Pointer(&l.out[0])), uintptr(n), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(took), nil
}

func (l *rawUDP) Interrupt() {
	l.done.Store(true)
	if l.borrowed {
		return // a reader looks every PollEvery; shut down, the owner's reads would end at once
	}
	// Wakes a reader, although it fails with ENOTCONN for some sockets.
	_ = unix.Shutdown(l.fd, unix.SHUT_RD)
}

func (l *rawUDP) Close() error {
	if l.rest != nil {
		l.rest.Close()
	}
	if l.borrowed {
		_ = unix.SetNonblock(l.fd, true) // as package net expects it; both descriptors share this
	}
	return unix.Close(l.fd)
}
