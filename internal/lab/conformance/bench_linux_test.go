package conformance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// bench is a measuring place on near that also holds sockets of far, so that
// one process, with one clock, sees both ends of the path.
type bench struct{ near, far sockets }

// sockets are UDP sockets of one host.
type sockets struct{ v4, v6 int }

// rendezvous is where far hands its sockets over. Both hosts see the same
// files.
func rendezvous() string { return filepath.Join(os.TempDir(), "conformance.sock") }

// lend is far's part: it opens sockets and gives them to near.
func lend() error {
	s, err := openSockets()
	if err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: rendezvous()})
	if err != nil {
		return err
	}
	conn, err := l.AcceptUnix()
	if err != nil {
		return err
	}
	if _, _, err := conn.WriteMsgUnix([]byte{0}, unix.UnixRights(s.v4, s.v6), nil); err != nil {
		return fmt.Errorf("hand sockets over: %w", err)
	}
	_, err = conn.Read(make([]byte, 1)) // until near ends
	return err
}

// openBench is near's part.
func openBench() (*bench, error) {
	own, err := openSockets()
	if err != nil {
		return nil, err
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: rendezvous()})
	if err != nil {
		return nil, err
	}
	rights := make([]byte, unix.CmsgSpace(2*4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return nil, fmt.Errorf("receive far's sockets: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("receive far's sockets: %d messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 2 {
		return nil, fmt.Errorf("receive far's sockets: %d of them: %w", len(fds), err)
	}
	return &bench{near: own, far: sockets{fds[0], fds[1]}}, nil
}

func openSockets() (sockets, error) {
	v4, err := openSocket(unix.AF_INET, &unix.SockaddrInet4{})
	if err != nil {
		return sockets{}, err
	}
	v6, err := openSocket(unix.AF_INET6, &unix.SockaddrInet6{})
	return sockets{v4, v6}, err
}

func openSocket(family int, any unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open a UDP socket: %w", err)
	}
	if family == unix.AF_INET6 {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1); err != nil {
			return -1, err
		}
	}
	// Room for everything that a path can hold.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20); err != nil {
		return -1, fmt.Errorf("enlarge a receive buffer: %w", err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return -1, fmt.Errorf("ask for times of arrival: %w", err)
	}
	return fd, unix.Bind(fd, any)
}

// train is a series of packets sent one way.
type train struct {
	to      string        // far, far.underlay, or near: a name of the hosts file
	v6      bool          // the address family
	packets int           //
	payload int           // of UDP, in bytes
	every   time.Duration // between batches
	batch   int           // packets sent at once; 0 is 1
}

// flight is one packet's fate. Received is 0 where it was lost.
type flight struct{ sent, received time.Duration }

func (f flight) delay() time.Duration { return f.received - f.sent }

// journey is what became of a train.
type journey struct {
	flights []flight
	order   []int // the numbers of the packets in their order of arrival
}

// minPayload holds a packet's number.
const minPayload = 8

// quiet is how long a path must be still before a missing packet counts as
// lost.
const quiet = 5 * time.Second

// run sends a train and waits for its last packet. The kernel notes when a
// packet arrives, so it is enough to look now and then.
func (b *bench) run(t train) (journey, error) {
	t.payload, t.batch = max(t.payload, minPayload), max(t.batch, 1)
	from, at := b.near, b.far
	if t.to == "near" {
		from, at = b.far, b.near
	}
	out, in := from.v4, at.v4
	if t.v6 {
		out, in = from.v6, at.v6
	}
	to, err := destination(t, in)
	if err != nil {
		return journey{}, err
	}
	// A batch is one call, which the kernel cuts into packets: udp(7).
	if err := unix.SetsockoptInt(out, unix.SOL_UDP, unix.UDP_SEGMENT, t.payload); err != nil {
		return journey{}, fmt.Errorf("set UDP_SEGMENT: %w", err)
	}
	j := journey{flights: make([]flight, t.packets)}
	r := newReceiver(in)
	start := now()
	buf := make([]byte, t.payload*t.batch)
	const often = 1000 // packets between looks
	for first, batches, look := 0, 0, often; first < t.packets; first, batches = first+t.batch, batches+1 {
		n := min(t.batch, t.packets-first)
		sleepUntil(start + time.Duration(batches)*t.every)
		sent := now()
		for i := range n {
			binary.BigEndian.PutUint64(buf[i*t.payload:], uint64(first+i))
			j.flights[first+i].sent = sent
		}
		if err := unix.Sendto(out, buf[:n*t.payload], 0, to); err != nil {
			return journey{}, fmt.Errorf("send %d bytes: %w", n*t.payload, err)
		}
		if first >= look {
			look += often
			if err := r.drain(&j); err != nil {
				return journey{}, err
			}
		}
	}
	for seen := -1; len(j.order) > seen && len(j.order) < t.packets; {
		seen = len(j.order)
		sleepUntil(now() + quiet)
		if err := r.drain(&j); err != nil {
			return journey{}, err
		}
	}
	return j, nil
}

func destination(t train, in int) (unix.Sockaddr, error) {
	addrs, err := net.LookupHost(t.to)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(addrs, func(s string) bool { return netip.MustParseAddr(s).Is6() == t.v6 })
	if i < 0 {
		return nil, fmt.Errorf("%s has no address of the wanted family", t.to)
	}
	addr := netip.MustParseAddr(addrs[i])
	bound, err := unix.Getsockname(in)
	if err != nil {
		return nil, err
	}
	switch s := bound.(type) {
	case *unix.SockaddrInet4:
		return &unix.SockaddrInet4{Port: s.Port, Addr: addr.As4()}, nil
	case *unix.SockaddrInet6:
		return &unix.SockaddrInet6{Port: s.Port, Addr: addr.As16()}, nil
	}
	return nil, errors.New("a socket of unknown family")
}

func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &t); err != nil {
		panic(err) // every kernel has this clock
	}
	return time.Duration(t.Nano())
}

func sleepUntil(t time.Duration) {
	at := unix.NsecToTimespec(int64(t))
	for unix.ClockNanosleep(unix.CLOCK_REALTIME, unix.TIMER_ABSTIME, &at, nil) == unix.EINTR {
	}
}
