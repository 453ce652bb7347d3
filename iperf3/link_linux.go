package iperf3

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/iperf3/internal/pace"
	"unchoke/tcpinfo"
)

// rawFD takes a connection out of package net's hands: a blocking descriptor
// of our own. Blocking calls need half the system calls of the poller's; their
// time limits are SO_SNDTIMEO and SO_RCVTIMEO.
func rawFD(conn syscall.Conn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	var dupErr error
	if err := raw.Control(func(c uintptr) { fd, dupErr = unix.FcntlInt(c, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, fmt.Errorf("duplicate the socket: %w", dupErr)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("make the socket blocking: %w", err)
	}
	return fd, nil
}

func setTimeout(fd, option int, d time.Duration) error {
	tv := unix.NsecToTimeval(int64(max(d, time.Microsecond))) // 0 would mean for ever
	return unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &tv)
}

// newTCPLink takes the connection over; the caller's is closed.
func newTCPLink(conn net.Conn) (tcpLink, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return &netTCP{conn: conn}, nil
	}
	fd, err := rawFD(sc)
	if err != nil {
		return nil, err
	}
	conn.Close()
	l := &rawTCP{fd: fd, lowat: 1, rest: newSleeper()}
	if err := setTimeout(fd, unix.SO_RCVTIMEO, pollEvery); err != nil {
		l.close()
		return nil, fmt.Errorf("set SO_RCVTIMEO: %w", err)
	}
	return l, nil
}

// rawTCP moves data by system calls of its own.
type rawTCP struct {
	fd    int
	full  bool // the send buffer was, at the last look
	rest  *sleeper
	slow  int // waits to come that are taken to be long
	lowat int // SO_RCVLOWAT now
	done  atomic.Bool
}

// send writes without blocking, which the scheduler need not hear of, and
// waits only when the buffer is full: until a third of it is free, so there
// are few waits. A write that blocks is told to the scheduler every time, at a
// quarter more processor time per byte.
func (l *rawTCP) send(p []byte, patience time.Duration) (int, error) {
	if l.full {
		if err := l.awaitSpace(patience); err != nil {
			return 0, err
		}
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(l.fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)),
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	l.full = errno == unix.EAGAIN || errno == 0 && int(n) < len(p)
	switch errno {
	case 0:
		return int(n), nil
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	}
	return 0, fmt.Errorf("write to a stream: %w", errno)
}

// awaitSpace waits for room in the send buffer: on a fast path as briefly as a
// sleeper may without telling the scheduler, else the usual way.
func (l *rawTCP) awaitSpace(patience time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLOUT}}
	if l.slow > 0 {
		l.slow--
	} else if short := min(patience, shortSleep); !crowded() {
		ts := unix.NsecToTimespec(int64(short))
		n, _, _ := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), 1, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
		if int(n) > 0 || short == patience {
			return nil
		}
		l.slow = slowWaits
	}
	ts := unix.NsecToTimespec(int64(patience))
	_, err := unix.Ppoll(fds, &ts, nil)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for a stream: %w", err)
	}
	return nil
}

// slowWaits follow a wait that was not brief, before that is tried again.
const slowWaits = 32

// nowhere is where MSG_TRUNC puts what it receives: the kernel forgets the
// data without writing here, so the pages never exist.
var nowhere [1 << 20]byte

func (l *rawTCP) receive() (int, error) {
	n, _, err := unix.Recvfrom(l.fd, nowhere[:], unix.MSG_TRUNC)
	switch {
	case l.done.Load():
		return 0, io.EOF
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read from a stream: %w", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

const (
	// A receiver is woken for this long's worth of data at once; several of
	// them so that they share the time.
	wakeSpan = 4 * time.Millisecond
	maxLowat = 64 << 10
)

// tune raises SO_RCVLOWAT with the rate. It stays below an eighth of the
// receive buffer: the kernel would enlarge a smaller one, and the test would
// change what it measures; and a larger one shows in the window.
func (l *rawTCP) tune(rate int64) {
	lowat := int(min(rate*int64(wakeSpan)/int64(time.Second), maxLowat))
	if buf, err := unix.GetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err == nil {
		lowat = min(lowat, buf/8)
	}
	if lowat = max(lowat, 1); lowat > l.lowat*5/4 || lowat < l.lowat*3/4 {
		_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, lowat) // refused, it only wakes more often
		l.lowat = lowat
	}
}

func (l *rawTCP) info() (tcpinfo.Info, error) { return tcpinfo.GetFD(l.fd) }

func (l *rawTCP) congestion() string {
	name, _ := unix.GetsockoptString(l.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	return name
}

func (l *rawTCP) buffer(sending bool) int {
	option := unix.SO_RCVBUF
	if sending {
		option = unix.SO_SNDBUF
	}
	size, err := granted(l.fd, option)
	if err != nil {
		return 0
	}
	return size
}

func (l *rawTCP) interrupt() {
	l.done.Store(true)
	_ = unix.Shutdown(l.fd, unix.SHUT_RD) // fails only if the peer has ended it already
}

func (l *rawTCP) close() error {
	l.rest.close()
	return unix.Close(l.fd)
}

// UDP.

const (
	// maxSegments is how many datagrams UDP_SEGMENT takes at once
	// (UDP_MAX_SEGMENTS was 64 before Linux 6.9, and 128 since).
	maxSegments = 64
	maxGSOBytes = 65535 - 40 - 8 // of payload: an IPv6 packet's length less its headers
	// sendmmsg and recvmmsg take up to so many datagrams, and a sender keeps no
	// more bytes for them: there may be 256 of them.
	sendBatch      = 64
	sendBatchBytes = 128 << 10
	receiveBatch   = 64
	// groBuffers of 64 KiB each receive aggregated datagrams.
	groBuffers = 8
	// nap is how long a receiver leaves fast datagrams in the socket, whose
	// stamps keep the time: of 50,000 a second, 50 gather in a buffer that by
	// default holds 90.
	nap = time.Millisecond
	// headerSpace is what is copied of a datagram that is not aggregated.
	headerSpace = 64
)

// prepareUDP sets what must be set long before data flows: the kernel begins
// to stamp packets some milliseconds after the first socket asked for it.
func prepareUDP(t *Test, fd int, sending bool) {
	if sending {
		return
	}
	if t.Window == 0 {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, udpReceiveBuffer) // the kernel gives what it allows
	}
	if stamps(t) {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // else the time of the call
	}
}

// udpReceiveBuffer holds 20 ms of 1 Gbit/s, with the kernel's own use of it.
const udpReceiveBuffer = 4 << 20

// newUDPLink takes the socket over; the caller's is closed. With stamps, which
// prepareUDP has asked for, each datagram's arrival is the kernel's own;
// without, datagrams may come aggregated, with one time for all.
func newUDPLink(conn net.Conn, stamps bool) (udpLink, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return &netUDP{conn: conn}, nil
	}
	fd, err := rawFD(sc)
	if err != nil {
		return nil, err
	}
	conn.Close()
	l := &rawUDP{fd: fd, gso: true}
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := setTimeout(fd, option, pollEvery); err != nil {
			l.close()
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
	stamps   bool      // each datagram tells when it arrived
	last     time.Time // when something was received last
	rest     *sleeper
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

// inbox is where one message is received.
type inbox struct {
	iov     unix.Iovec
	data    []byte
	control [64]byte
}

func (l *rawUDP) maxBatch(size int) int {
	if n := min(maxSegments, maxGSOBytes/size); l.gso && n > 1 {
		return n
	}
	return max(1, min(sendBatch, sendBatchBytes/size))
}

func (l *rawUDP) send(p []byte, n int) (int, error) {
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

// took turns what the kernel says into what udpLink promises.
func (l *rawUDP) took(n int, err error) (int, error) {
	switch {
	case n > 0, err == nil, errors.Is(err, unix.EINTR):
		return n, nil
	case errors.Is(err, unix.EAGAIN):
		return 0, errFull
	case errors.Is(err, unix.ENOBUFS):
		return 0, errDropped
	case errors.Is(err, unix.ECONNREFUSED):
		// An ICMP message about an earlier datagram. The peer may have closed
		// its socket since the test is over, which the control connection will
		// tell.
		return 0, errDropped
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

func (l *rawUDP) receive(got func([]byte, int, time.Time)) error {
	if l.in == nil {
		l.prepare()
	}
	if l.hurry {
		if l.rest == nil {
			l.rest = newSleeper()
		}
		l.rest.sleep(nap)
	}
	for i := range l.in {
		l.inMsgs[i].hdr.SetControllen(len(l.in[i].control))
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(l.fd), uintptr(unsafe.Pointer(&l.inMsgs[0])), uintptr(len(l.inMsgs)),
		uintptr(unix.MSG_WAITFORONE|unix.MSG_TRUNC), 0, 0)
	switch {
	case l.done.Load():
		return io.EOF
	case errno == unix.EAGAIN, errno == unix.EINTR, errno == unix.ECONNREFUSED:
		return nil
	case errno != 0:
		return fmt.Errorf("receive datagrams: %w", errno)
	}
	now := time.Now()
	l.hurry = l.stamps && now.Sub(l.last) < 2*nap
	l.last = now
	for i := range int(n) {
		m, box := &l.inMsgs[i], &l.in[i]
		size := int(m.n)
		segment, stamp := parseControl(box.control[:min(len(box.control), int(m.hdr.Controllen))])
		at := now
		if !stamp.IsZero() {
			at = now.Add(stamp.Sub(now.Round(0))) // by the wall clock, of which both are
		}
		if segment == 0 || segment >= size {
			got(box.data[:min(size, len(box.data))], size, at)
			continue
		}
		for p := box.data[:min(size, len(box.data))]; len(p) > 0; p = p[min(segment, len(p)):] {
			got(p[:min(segment, len(p))], min(segment, len(p)), at)
		}
	}
	return nil
}

func (l *rawUDP) prepare() {
	count, space := receiveBatch, headerSpace
	if l.gro {
		count, space = groBuffers, 1<<16
	}
	l.in, l.inMsgs = make([]inbox, count), make([]mmsg, count)
	for i := range l.in {
		box, h := &l.in[i], &l.inMsgs[i].hdr
		box.data = make([]byte, space)
		box.iov.Base = &box.data[0]
		box.iov.SetLen(space)
		h.Iov = &box.iov
		h.SetIovlen(1)
		h.Control = &box.control[0]
	}
}

// parseControl finds the size of the segments of an aggregated datagram and
// the kernel's time stamp, either of which may be missing.
func parseControl(b []byte) (segment int, stamp time.Time) {
	for len(b) >= unix.SizeofCmsghdr {
		h, data, rest, err := unix.ParseOneSocketControlMessage(b)
		if err != nil {
			return segment, stamp
		}
		switch {
		case h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_GRO && len(data) >= 4:
			segment = int(int32(binary.NativeEndian.Uint32(data)))
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})):
			stamp = time.Unix((*unix.Timespec)(unsafe.Pointer(&data[0])).Unix())
		}
		b = rest
	}
	return segment, stamp
}

func (l *rawUDP) interrupt() {
	l.done.Store(true)
	// Wakes a reader, although it fails with ENOTCONN for some sockets.
	_ = unix.Shutdown(l.fd, unix.SHUT_RD)
}

func (l *rawUDP) close() error {
	if l.rest != nil {
		l.rest.close()
	}
	return unix.Close(l.fd)
}
