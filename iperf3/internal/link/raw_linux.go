package link

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// rawFD takes a connection out of package net's hands: a blocking descriptor
// of our own. Blocking calls need half the system calls of the poller's; their
// time limits are SO_SNDTIMEO and SO_RCVTIMEO.
func rawFD(conn syscall.Conn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	var dupErr error
	if err := raw.Control(func(c uintptr) { fd, dupErr = unix.FcntlInt(c, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, fmt.Errorf("duplicate the socket: %w", dupErr)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("make the socket blocking: %w", err)
	}
	return fd, nil
}

func setTimeout(fd, option int, d time.Duration) error {
	tv := unix.NsecToTimeval(int64(max(d, time.Microsecond))) // 0 would mean for ever
	return unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &tv)
}
