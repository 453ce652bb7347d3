package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/network"
	"unchoke/internal/linux/cc"
	"unchoke/internal/unit"
	"unchoke/tcpinfo"
)

// flow is one TCP connection from near to far. Three threads belong to it: the
// sender, the receiver and the observer, none of them used before or
// afterwards: what a thread leaves in the kernel, as the half-used page from
// which its sends take their memory, must not reach another run.
type flow struct {
	spec   Spec
	series time.Duration
	start  time.Duration // when the sender connects, on the monotonic clock
	chain  int           // steps linked in one of its rings, at most

	listener, sender, receiver int
	diag                       int // asks near's kernel about the sender
	from, to                   unix.SockaddrInet4

	accepted chan time.Duration // when, once
	account
}

const (
	// firstPort is where the flows' ports begin, on both hosts. Ports of the
	// kernel's own choosing depend on those it chose before.
	firstPort = 20000
	// apart is the time between the flows' beginnings.
	apart = time.Millisecond
	// timerSlack is how much later than asked a program's sleep ends where
	// nothing else wakes the CPU (prctl(2), PR_SET_TIMERSLACK). A ring's
	// timeouts have none, so it is added.
	timerSlack = 50 * time.Microsecond
	// lookEvery is how often the RTT and the window are looked at.
	lookEvery = 50 * time.Millisecond
	// acceptLimit is how long the receiver waits for a connection: Linux's SYNs
	// are given up after 127 s (tcp_syn_retries, 6), its SYN-ACKs after 63 s.
	acceptLimit = 5 * time.Minute
)

// newFlow opens the flow's sockets. The number tells the flows of a run apart.
func newFlow(n *network.Network, number, chain int, spec Spec, algorithm string, series, start time.Duration) (_ *flow, err error) {
	f := &flow{
		spec: spec, series: series, start: start + time.Duration(number)*apart, chain: chain,
		listener: -1, sender: -1, receiver: -1, diag: -1, accepted: make(chan time.Duration, 1),
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	port := firstPort + number
	nearAddr, err := address(n, "near")
	if err != nil {
		return nil, err
	}
	farAddr, err := address(n, "far")
	if err != nil {
		return nil, err
	}
	f.from, f.to = unix.SockaddrInet4{Port: port, Addr: nearAddr}, unix.SockaddrInet4{Port: port, Addr: farAddr}
	err = n.Far.Do(func() error {
		if f.listener, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket on far: %w", err)
		}
		if err := setBuffer(f.listener, unix.SO_RCVBUFFORCE, int(spec.ReceiveBuffer)); err != nil {
			return err
		}
		if err := unix.Bind(f.listener, &f.to); err != nil {
			return fmt.Errorf("bind far's port %d: %w", port, err)
		}
		if err := setReadTimeout(f.listener, acceptLimit); err != nil {
			return err
		}
		return unix.Listen(f.listener, 1)
	})
	if err != nil {
		return nil, err
	}
	return f, n.Near.Do(func() error {
		if f.sender, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket on near: %w", err)
		}
		if err := setBuffer(f.sender, unix.SO_SNDBUFFORCE, int(spec.SendBuffer)); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(f.sender, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return fmt.Errorf("set TCP_NODELAY: %w", err)
		}
		if err := pace(f.sender, spec.Pace); err != nil {
			return err
		}
		if algorithm != "" {
			if err := cc.Set(f.sender, algorithm); err != nil {
				return err
			}
		}
		if f.cc, err = unix.GetsockoptString(f.sender, unix.IPPROTO_TCP, unix.TCP_CONGESTION); err != nil {
			return fmt.Errorf("ask for the congestion control: %w", err)
		}
		if err := unix.Bind(f.sender, &f.from); err != nil {
			return fmt.Errorf("bind near's port %d: %w", port, err)
		}
		if f.diag, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG); err != nil {
			return fmt.Errorf("open a sock_diag socket: %w", err)
		}
		return nil
	})
}

// address is a host's IPv4 address, the tunnel's where there is one.
func address(n *network.Network, host string) ([4]byte, error) {
	for _, e := range n.Hosts {
		if e.Name == host && e.Addr.Is4() {
			return e.Addr.As4(), nil
		}
	}
	return netip.IPv4Unspecified().As4(), fmt.Errorf("host %s has no IPv4 address", host)
}

// setBuffer gives a socket the buffer that the sweep asks for. The option that
// is not forced would be cut to net.core.[rw]mem_max, 208 KiB on most hosts:
// the jitter-cliff article's 256 KiB were granted whole, and with the cut its
// window-limited transfers come out at 0.82 of what it measured.
func setBuffer(fd, option, size int) error {
	if size == 0 {
		return nil
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, size); err != nil {
		return fmt.Errorf("set a socket buffer of %d bytes: %w", size, err)
	}
	return nil
}

// pace holds a socket's packets to a rate; 0 leaves it as it is.
func pace(fd int, rate unit.BitRate) error {
	if rate == 0 {
		return nil
	}
	bytes := uint64(max(rate/8, 1))
	if err := unix.SetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, bytes); err != nil {
		return fmt.Errorf("pace a socket at %v: %w", rate, err)
	}
	return nil
}

// setReadTimeout bounds how long an accept or a read waits; 0 is no limit.
func setReadTimeout(fd int, limit time.Duration) error {
	tv := unix.NsecToTimeval(int64(limit))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		return fmt.Errorf("set SO_RCVTIMEO: %w", err)
	}
	return nil
}

func (f *flow) close() {
	for _, fd := range []int{f.listener, f.sender, f.receiver, f.diag} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// lostError is a connection that the path keeps from being made, or breaks:
// a result of the run, and no fault of the lab.
type lostError struct {
	what string
	err  error
}

func (e *lostError) Error() string { return e.what + ": " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// lostOr is an error of a connection's socket: a *lostError where TCP gave up.
func lostOr(what string, err error) error {
	for _, gaveUp := range []unix.Errno{unix.ETIMEDOUT, unix.ECONNRESET, unix.ECONNREFUSED, unix.ECONNABORTED, unix.EHOSTUNREACH, unix.ENETUNREACH} {
		if errors.Is(err, gaveUp) {
			return &lostError{what, err}
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// run makes the transfer. A connection that is lost counts as one that carried
// nothing more until the end of its time.
func (f *flow) run() error {
	var threads sync.WaitGroup
	var sent, seen, received error
	thread := func(part func() error, err *error) {
		threads.Go(func() {
			runtime.LockOSThread() // and never unlocks: the thread ends here
			// Nothing else that wakes the CPU may end its sleeps sooner.
			if *err = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); *err == nil {
				*err = part()
			}
		})
	}
	thread(f.send, &sent)
	thread(f.observe, &seen)
	thread(func() error {
		defer f.hangUp()
		return f.receive()
	}, &received)
	threads.Wait()
	for _, err := range []*error{&sent, &received} {
		if lost, ok := errors.AsType[*lostError](*err); ok {
			f.failed = cmp.Or(f.failed, lost.Error())
			f.elapsed = max(f.elapsed, f.spec.Duration)
			*err = nil
		}
	}
	return errors.Join(received, sent, seen)
}

// hangUp ends what the sender still does, once its last counters are read.
func (f *flow) hangUp() {
	if info, err := tcpinfo.GetFD(f.sender); err == nil {
		f.last = info
	}
	for _, fd := range []int{f.sender, f.receiver, f.listener} {
		if fd >= 0 {
			_ = unix.Shutdown(fd, unix.SHUT_RDWR) // it may not be connected
		}
	}
}

// send connects and offers the load until the connection is shut down.
func (f *flow) send() error {
	if err := sleepUntil(f.start); err != nil {
		return err
	}
	if err := unix.Connect(f.sender, &f.to); err != nil {
		_ = unix.Shutdown(f.listener, unix.SHUT_RDWR) // so that the receiver need not wait
		if errors.Is(err, unix.EPIPE) {
			return nil // the receiver gave up first, and says why
		}
		return lostOr("connect near to far", err)
	}
	var err error
	switch f.spec.Kind {
	case Paced:
		err = f.sendPaced()
	case Bulk:
		err = f.sendBulk()
	case Chunked:
		err = f.serveChunks()
	}
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.ENOTCONN) {
		return nil // the receiver's end is everybody's
	}
	return err
}

// receive accepts and reads for the traffic's duration.
func (f *flow) receive() error {
	var err error
	if f.receiver, _, err = unix.Accept4(f.listener, unix.SOCK_CLOEXEC); err != nil {
		close(f.accepted)
		switch {
		case errors.Is(err, unix.EINVAL):
			return nil // shut down: the sender says why
		case errors.Is(err, unix.EAGAIN):
			return &lostError{"accept on far", fmt.Errorf("no connection within %v", acceptLimit)}
		}
		return fmt.Errorf("accept on far: %w", err)
	}
	// No read lasts longer than the traffic; read and play count on it.
	if err := setReadTimeout(f.receiver, f.spec.Duration); err != nil {
		close(f.accepted)
		return err
	}
	zero, err := now()
	if err != nil {
		close(f.accepted)
		return err
	}
	f.accepted <- zero
	close(f.accepted)
	if f.spec.Kind == Chunked {
		return f.play(zero)
	}
	return f.read(zero)
}

// sleepUntil sleeps until a time of the monotonic clock.
func sleepUntil(at time.Duration) error {
	spec := unix.NsecToTimespec(int64(at))
	for {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &spec, nil)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("sleep: %w", err)
		}
	}
}

func now() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

func pointer[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }
