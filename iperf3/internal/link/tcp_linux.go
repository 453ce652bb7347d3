package link

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/tcpinfo"
)

// NewTCP takes the connection over; the caller's is closed.
func NewTCP(conn net.Conn) (TCP, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return &netTCP{conn: conn}, nil
	}
	fd, err := rawFD(sc)
	if err != nil {
		return nil, err
	}
	conn.Close()
	l := &rawTCP{fd: fd, lowat: 1, rest: NewSleeper()}
	if err := setTimeout(fd, unix.SO_RCVTIMEO, PollEvery); err != nil {
		l.Close()
		return nil, fmt.Errorf("set SO_RCVTIMEO: %w", err)
	}
	return l, nil
}

// rawTCP moves data by system calls of its own.
type rawTCP struct {
	fd    int
	full  bool // the send buffer was, at the last look
	rest  *Sleeper
	slow  int // waits to come that are taken to be long
	lowat int // SO_RCVLOWAT now
	done  atomic.Bool
}

// send writes without blocking, which the scheduler need not hear of, and
// waits only when the buffer is full: until a third of it is free, so there
// are few waits. A write that blocks is told to the scheduler every time, at a
// quarter more processor time per byte.
func (l *rawTCP) Send(p []byte, patience time.Duration) (int, error) {
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

func (l *rawTCP) Receive() (int, error) {
	// That of x/sys/unix knows every kind of sender's address.
	n, _, err := syscall.Recvfrom(l.fd, nowhere[:], unix.MSG_TRUNC)
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
func (l *rawTCP) Tune(rate int64) {
	lowat := int(min(rate*int64(wakeSpan)/int64(time.Second), maxLowat))
	if buf, err := unix.GetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err == nil {
		lowat = min(lowat, buf/8)
	}
	if lowat = max(lowat, 1); lowat > l.lowat*5/4 || lowat < l.lowat*3/4 {
		_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, lowat) // refused, it only wakes more often
		l.lowat = lowat
	}
}

// Narrow leaves the buffer as it is: a smaller one would drop what is under way, and the
// peer would count that as lost.
func (l *rawTCP) Narrow() {
	_ = unix.SetsockoptInt(l.fd, unix.IPPROTO_TCP, unix.TCP_WINDOW_CLAMP, narrowWindow) // refused, the peer only sends on
}

// narrowWindow is about Linux's initial one (RFC 6928).
const narrowWindow = 16 << 10

func (l *rawTCP) Info() (tcpinfo.Info, error) { return tcpinfo.GetFD(l.fd) }

func (l *rawTCP) Congestion() string {
	name, _ := unix.GetsockoptString(l.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	return name
}

func (l *rawTCP) Buffer(sending bool) int {
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

func (l *rawTCP) Interrupt() {
	l.done.Store(true)
	_ = unix.Shutdown(l.fd, unix.SHUT_RD) // fails only if the peer has ended it already
}

func (l *rawTCP) Close() error {
	l.rest.Close()
	return unix.Close(l.fd)
}

// MaxSegment returns the MSS of a TCP connection, or 0 if it cannot be told.
func MaxSegment(conn net.Conn) int {
	mss := 0
	if c, ok := conn.(*net.TCPConn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { mss, _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG) })
		}
	}
	return mss
}
