package cc

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"
)

// OfConnection is what a new connection to an address gets: from its route, or
// the default. It begins one and ends it at once, without waiting for an
// answer: the algorithm is chosen before the first packet leaves.
func OfConnection(to netip.AddrPort) (string, error) {
	name, err := ofConnection(to)
	if err != nil {
		return "", fmt.Errorf("open a connection to %v: %w", to, err)
	}
	return name, nil
}

func ofConnection(to netip.AddrPort) (string, error) {
	var family int
	var remote unix.Sockaddr
	if addr := to.Addr().Unmap(); addr.Is4() {
		family, remote = unix.AF_INET, &unix.SockaddrInet4{Port: int(to.Port()), Addr: addr.As4()}
	} else {
		device, err := deviceOf(addr.Zone())
		if err != nil {
			return "", err
		}
		family, remote = unix.AF_INET6, &unix.SockaddrInet6{Port: int(to.Port()), Addr: addr.As16(), ZoneId: device}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_TCP)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, remote); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return "", err
	}
	return unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
}

// deviceOf is the index of the device that a link-local address is behind: its zone
// is that, or the device's name. It is 0 without a zone.
func deviceOf(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	dev, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, err
	}
	return uint32(dev.Index), nil
}
