package iperf3

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// setCongestion fails with ErrCongestion where the kernel has no such
// algorithm (ENOENT) or not for this user (EPERM).
func setCongestion(fd int, name string) error {
	err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) {
		return fmt.Errorf("set the congestion control to %s: %w (%w)", name, ErrCongestion, err)
	}
	if err != nil {
		return fmt.Errorf("set the congestion control to %s: %w", name, err)
	}
	return nil
}

// maxSegment returns the MSS of a TCP connection, or 0 if it cannot be told.
func maxSegment(conn net.Conn) int {
	mss := 0
	if c, ok := conn.(*net.TCPConn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { mss, _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG) })
		}
	}
	return mss
}
