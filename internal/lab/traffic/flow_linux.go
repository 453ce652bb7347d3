package traffic

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/network"
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
)

// newFlow opens the flow's sockets. The number tells the flows of a run apart.
func newFlow(n *network.Network, number, chain int, spec Spec, cc string, series, start time.Duration) (_ *flow, err error) {
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
		if cc != "" {
			if err := setCC(f.sender, cc); err != nil {
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

func (f *flow) close() {
	for _, fd := range []int{f.listener, f.sender, f.receiver, f.diag} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// run makes the transfer.
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
		if errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.EPIPE) {
			return nil // the receiver gave up first, and says why
		}
		_ = unix.Shutdown(f.listener, unix.SHUT_RDWR) // so that the receiver need not wait
		return fmt.Errorf("connect near to far: %w", err)
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
		if errors.Is(err, unix.EINVAL) {
			return nil // shut down: the sender says why
		}
		return fmt.Errorf("accept on far: %w", err)
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
