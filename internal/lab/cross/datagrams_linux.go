package cross

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/network"
	"unchoke/internal/unit"
)

// datagrams is UDP at a rate of link-layer frames, which nobody reads.
type datagrams struct {
	rate             unit.BitRate
	payload, frame   int // bytes
	sender, receiver int
	thread           sync.WaitGroup
	ended            atomic.Bool
	err              error // what ended it otherwise
}

const (
	// pace is how often frames are sent at most, those that are due together:
	// as iperf3 does (its pacing timer).
	pace = time.Millisecond
	// patience is how long the thread sleeps at most, so that it hears of its
	// end.
	patience = 100 * time.Millisecond
	// together is how many datagrams the kernel takes in one write of 64 KiB,
	// whatever the MTU up to 9000 (UDP_SEGMENT, udp(7)).
	together = 7

	headers  = 20 + 8 // of IPv4 and UDP
	ethernet = 14
)

func startDatagrams(from, to *network.Host, port int, rate unit.BitRate) (end func() error, err error) {
	d := &datagrams{rate: rate, payload: to.MTU() - headers, frame: to.MTU() + ethernet, sender: -1, receiver: -1}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	there := &unix.SockaddrInet4{Port: port, Addr: to.Addr().As4()}
	err = to.Do(func() error {
		if d.receiver, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		return unix.Bind(d.receiver, there)
	})
	if err != nil {
		return nil, err
	}
	err = from.Do(func() error {
		if d.sender, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		if err := unix.SetsockoptInt(d.sender, unix.IPPROTO_UDP, unix.UDP_SEGMENT, d.payload); err != nil {
			return fmt.Errorf("set UDP_SEGMENT: %w", err)
		}
		if err := unix.Bind(d.sender, &unix.SockaddrInet4{Port: port, Addr: from.Addr().As4()}); err != nil {
			return fmt.Errorf("bind port %d: %w", port, err)
		}
		return unix.Connect(d.sender, there)
	})
	if err != nil {
		return nil, err
	}
	d.thread.Go(func() { d.err = d.send() })
	return d.end, nil
}

func (d *datagrams) send() error {
	buf := make([]byte, together*d.payload)
	start, err := now()
	if err != nil {
		return err
	}
	each := float64(d.frame*8) / float64(d.rate) * float64(time.Second)
	// The clock is read once: a lab machine's time costs system calls.
	at := start
	for sent := int64(0); !d.ended.Load(); {
		due := int64(float64(at-start)/each) - sent
		for due > 0 && !d.ended.Load() {
			n := min(due, together)
			// The kernel drops what the wire does not take, as it does anybody's.
			if _, err := unix.Write(d.sender, buf[:int(n)*d.payload]); err != nil && !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EINTR) {
				if d.ended.Load() {
					return nil
				}
				return fmt.Errorf("send: %w", err)
			}
			due -= n
			sent += n
		}
		next := start + time.Duration(math.Ceil(float64(sent+1)*each))
		at = min(max(next, at+pace), at+patience)
		wake := unix.NsecToTimespec(int64(at))
		if err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &wake, nil); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("sleep: %w", err)
		}
	}
	return nil
}

// end stops sending.
func (d *datagrams) end() error {
	d.ended.Store(true)
	_ = unix.Shutdown(d.sender, unix.SHUT_RDWR) // it wakes a write that waits
	d.thread.Wait()
	d.close()
	return d.err
}

func (d *datagrams) close() {
	for _, fd := range []int{d.sender, d.receiver} {
		if fd >= 0 {
			unix.Close(fd)
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
