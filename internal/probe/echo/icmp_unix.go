//go:build linux || darwin

package echo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// receiveBuffer holds what may arrive between two ticks: a tenth of a second of
// the fastest sensible series, and much else on a raw socket.
const receiveBuffer = 256 << 10

// icmp sends echo requests through a connected, non-blocking socket.
type icmp struct {
	fd      int
	addr    netip.Addr
	id      uint16
	token   token
	size    int
	packet  []byte
	buf     []byte
	oob     []byte
	drained time.Time // when the socket was last empty
}

func openICMP(addr netip.Addr, size int) (method, error) {
	fd, err := echoSocket(addr)
	if err != nil {
		return nil, err
	}
	p := &icmp{
		fd:      fd,
		addr:    addr,
		size:    size,
		buf:     make([]byte, size+128),
		oob:     make([]byte, unix.CmsgSpace(stampSize)),
		drained: time.Now(),
	}
	p.id = uint16(rand.Uint32())
	for i := range p.token {
		p.token[i] = byte(rand.Uint32())
	}
	// A larger buffer is a help, not a need.
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, stampOption, 1); err != nil {
		p.close()
		return nil, fmt.Errorf("ask for receive timestamps: %w", err)
	}
	if err := unix.Connect(fd, sockaddr(addr)); err != nil {
		p.close()
		return nil, fmt.Errorf("connect ICMP socket: %w", err)
	}
	return p, nil
}

// echoSocket opens a ping socket, else a raw one.
func echoSocket(addr netip.Addr) (int, error) {
	family, proto := unix.AF_INET, unix.IPPROTO_ICMP
	if addr.Is6() {
		family, proto = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	var errs [2]error
	for i, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_RAW} {
		fd, err := unix.Socket(family, kind, proto)
		if err != nil {
			errs[i] = err
			continue
		}
		unix.CloseOnExec(fd)
		if kind == unix.SOCK_RAW {
			filterReplies(fd, addr)
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("make ICMP socket non-blocking: %w", err)
		}
		return fd, nil
	}
	if errors.Is(errs[1], os.ErrPermission) {
		return -1, ErrNotPermitted
	}
	return -1, fmt.Errorf("open ICMP socket: %w", errs[1])
}

func sockaddr(addr netip.Addr) unix.Sockaddr {
	if addr.Is4() {
		return &unix.SockaddrInet4{Addr: addr.As4()}
	}
	sa := &unix.SockaddrInet6{Addr: addr.As16()}
	if zone := addr.Zone(); zone != "" {
		if dev, err := net.InterfaceByName(zone); err == nil {
			sa.ZoneId = uint32(dev.Index)
		}
	}
	return sa
}

func (p *icmp) send(seq uint16) error {
	p.packet = request(p.packet[:0], p.addr, p.id, seq, p.token, p.size)
	if _, err := unix.Write(p.fd, p.packet); err != nil {
		return fmt.Errorf("send ICMP echo to %s: %w", p.addr, err)
	}
	return nil
}

func (p *icmp) collect() []answer {
	var answers []answer
	now := time.Now()
	for {
		// That of x/sys/unix knows every kind of sender's address.
		n, oobn, _, _, err := syscall.Recvmsg(p.fd, p.buf, p.oob, 0)
		if errors.Is(err, unix.EAGAIN) {
			break
		}
		if err != nil {
			// An ICMP error that the kernel kept for this socket; reading it
			// clears it, and the probe stays unanswered.
			if errors.Is(err, unix.EINTR) || isICMPError(err) {
				continue
			}
			break
		}
		seq, ok := reply(p.buf[:n], p.addr, p.token)
		if !ok {
			continue
		}
		answers = append(answers, answer{seq, p.arrival(p.oob[:oobn], now)})
	}
	p.drained = now
	return answers
}

func isICMPError(err error) bool {
	for _, e := range []error{
		unix.ECONNREFUSED, unix.EHOSTUNREACH, unix.ENETUNREACH, unix.EHOSTDOWN,
		unix.ENOPROTOOPT, unix.EPROTO, unix.EMSGSIZE, unix.EACCES, unix.EOPNOTSUPP,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// arrival turns the kernel's wall-clock stamp into a time with a monotonic
// reading. The stamp's age is the wall clock's only use, and it can neither be
// negative nor reach back to before the socket was last empty; so a clock that
// steps costs one probe at most.
func (p *icmp) arrival(oob []byte, now time.Time) time.Time {
	stamp, ok := stampOf(oob)
	if !ok {
		return now
	}
	age := min(max(now.Sub(stamp), 0), now.Sub(p.drained)) // the first by the wall clock: a stamp has no other
	return now.Add(-age)
}

// stampOf finds the kernel's receive timestamp among control messages.
func stampOf(oob []byte) (time.Time, bool) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return time.Time{}, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == stampMessage {
			return decodeStamp(m.Data)
		}
	}
	return time.Time{}, false
}

func (p *icmp) close() { unix.Close(p.fd) }
