// Package packet reads the headers of the packets between two TCP ports, as they
// leave this host and arrive. Payload is never read: the kernel hands out IP's and
// TCP's headers alone. It takes CAP_NET_RAW.
package packet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Tap hands out headers.
type Tap struct {
	fd   int
	ring ring
}

// Packet is the headers of one, from IP's on. They are valid until the next.
type Packet struct {
	At      time.Time // when it left or arrived, by the kernel's clock
	Leaves  bool
	Headers []byte
}

// Open begins to keep the headers of what a device sends and receives between the
// ports of two ends, whatever their addresses. The error is fs.ErrPermission where
// CAP_NET_RAW is missing.
func Open(device string, local, remote netip.AddrPort) (*Tap, error) {
	dev, err := net.InterfaceByName(device)
	if err != nil {
		return nil, fmt.Errorf("read packets of %s: %w", device, err)
	}
	filter := filterIPv4(local.Port(), remote.Port())
	if local.Addr().Unmap().Is6() {
		filter = filterIPv6(local.Port(), remote.Port())
	}
	// A socket without a protocol gets nothing before it has its filter.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read packets of %s: %w", device, err)
	}
	t := &Tap{fd: fd}
	if err := t.begin(dev.Index, filter); err != nil {
		return nil, fmt.Errorf("read packets of %s: %w", device, errors.Join(err, t.Close()))
	}
	return t, nil
}

func (t *Tap) begin(device int, filter []bpf.Instruction) error {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, x := range raw {
		program[i] = unix.SockFilter{Code: x.Op, Jt: x.Jt, Jf: x.Jf, K: x.K}
	}
	err = unix.SetsockoptSockFprog(t.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	if err != nil {
		return err
	}
	if t.ring, err = ringOf(t.fd); err != nil {
		return fmt.Errorf("share memory with the kernel: %w", err)
	}
	if err := unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return err
	}
	// What leaves is shown to sockets for all protocols alone.
	const all = unix.ETH_P_ALL<<8&0xffff | unix.ETH_P_ALL>>8 // in network order
	return unix.Bind(t.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: device})
}

// Read hands on what the kernel has kept, in its order, and returns. A loopback
// device shows each packet twice, as it leaves and as it arrives.
func (t *Tap) Read(add func(Packet)) error {
	for {
		p, ok := t.ring.packet()
		if !ok {
			return t.failed()
		}
		add(p)
		t.ring.release()
	}
}

// failed is what went wrong with the socket since it was last asked: its device may be
// gone.
func (t *Tap) failed() error {
	code, err := unix.GetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	if err != nil {
		return fmt.Errorf("read packets: %w", err)
	}
	return nil
}

// Missed is how many packets the kernel had no room for since the last call.
func (t *Tap) Missed() (int, error) {
	s, err := unix.GetsockoptTpacketStats(t.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0, fmt.Errorf("count the packets that were missed: %w", err)
	}
	return int(s.Drops), nil
}

// Close ends it.
func (t *Tap) Close() error { return errors.Join(t.ring.close(), unix.Close(t.fd)) }
