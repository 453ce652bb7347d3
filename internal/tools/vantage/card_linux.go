package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/netns"
)

// insertCard gives a host a card that tells its speed as real ones do, and
// connects it to a device of another namespace. It is a tap device: the driver
// with the least behind it that lets its speed be set. What it carries per second
// the wire decides.
//
// The wire's other end then finishes checksums, which a packet socket would see
// undone.
func insertCard(host, card, middle, device, otherEnd string, megabit int) error {
	in, err := netns.Open(host)
	if err != nil {
		return err
	}
	var tap *os.File
	if err := in.Do(func() (err error) { tap, err = newTap(card, megabit); return err }); err != nil {
		return fmt.Errorf("make the card %s: %w", card, err)
	}
	beyond, err := netns.Open(middle)
	if err != nil {
		return err
	}
	var line int
	err = beyond.Do(func() (err error) {
		if err := finishChecksums(otherEnd); err != nil {
			return err
		}
		line, err = listen(device)
		return err
	})
	if err != nil {
		return fmt.Errorf("listen on %s: %w", device, err)
	}
	go pass(tap.Read, func(b []byte) error { _, err := unix.Write(line, b); return err })
	go pass(func(b []byte) (int, error) { return fromWire(line, b) }, func(b []byte) error { _, err := tap.Write(b); return err })
	return nil
}

// pass hands frames on until one side ends.
func pass(read func([]byte) (int, error), write func([]byte) error) {
	frame := make([]byte, 1<<16)
	for {
		n, err := read(frame)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		if n > 0 {
			_ = write(frame[:n]) // a frame that finds no room is lost, as on a wire
		}
	}
}

// newTap makes a tap device with the speed, full duplex, whose frames the file
// has.
func newTap(name string, megabit int) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), setSpeed(name, megabit)
}

// setSpeed has the device tell a speed: ETHTOOL_SSET with a struct ethtool_cmd of
// linux/ethtool.h, in which the speed's low half stands at byte 12 and the duplex
// at 14.
func setSpeed(name string, megabit int) error {
	const size, speedAt, duplexAt, full = 44, 12, 14, 1
	var command [size]byte
	binary.NativeEndian.PutUint32(command[:], unix.ETHTOOL_SSET)
	binary.NativeEndian.PutUint16(command[speedAt:], uint16(megabit))
	command[duplexAt] = full
	return ethtool(name, command[:])
}

// finishChecksums has the kernel compute them before packets leave by a device:
// ETHTOOL_STXCSUM with a struct ethtool_value.
func finishChecksums(name string) error {
	command := binary.NativeEndian.AppendUint32(nil, unix.ETHTOOL_STXCSUM)
	return ethtool(name, binary.NativeEndian.AppendUint32(command, 0))
}

// ethtool makes one request of SIOCETHTOOL, in the thread's namespace.
func ethtool(name string, command []byte) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var ifreq struct { // struct ifreq of linux/if.h
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}
	copy(ifreq.name[:], name)
	ifreq.data = unsafe.Pointer(&command[0])
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&ifreq)))
	if errno != 0 {
		return fmt.Errorf("ethtool request %d of %s: %w", binary.NativeEndian.Uint32(command), name, errno)
	}
	return nil
}

// listen is a packet socket on a device, for all that arrives there.
func listen(device string) (int, error) {
	dev, err := net.InterfaceByName(device)
	if err != nil {
		return 0, err
	}
	const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in network order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all&0xffff)
	if err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all & 0xffff, Ifindex: dev.Index}); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	for _, option := range []int{unix.SO_SNDBUF, unix.SO_RCVBUF} {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, 8<<20); err != nil {
			return 0, errors.Join(err, unix.Close(fd))
		}
	}
	err = unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
		&unix.PacketMreq{Ifindex: int32(dev.Index), Type: unix.PACKET_MR_PROMISC})
	return fd, err
}

// fromWire reads a frame that arrived; 0 for one that this host sent.
func fromWire(fd int, b []byte) (int, error) {
	n, from, err := unix.Recvfrom(fd, b, 0)
	if link, ok := from.(*unix.SockaddrLinklayer); ok && link.Pkttype == unix.PACKET_OUTGOING {
		return 0, err
	}
	return n, err
}
