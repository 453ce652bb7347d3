package tcpinfo

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Larger than any structure of today, so that what a newer kernel appends is
// seen in Info.Length.
const bufferSize = 512

// GetFD is Get for a file descriptor.
func GetFD(fd int) (Info, error) {
	var buf [bufferSize]byte
	n, err := getsockopt(fd, unix.TCP_INFO, buf[:])
	if err != nil {
		return Info{}, fmt.Errorf("get TCP_INFO: %w", err)
	}
	return Parse(buf[:n])
}

// GetCC asks the kernel for the name of a connection's congestion control and
// for what it tells about itself.
func GetCC(c syscall.RawConn) (name string, cc CC, err error) {
	if ctl := c.Control(func(fd uintptr) { name, cc, err = GetCCFD(int(fd)) }); ctl != nil {
		return "", CC{}, fmt.Errorf("get TCP_CC_INFO: %w", ctl)
	}
	return name, cc, err
}

// GetCCFD is GetCC for a file descriptor.
func GetCCFD(fd int) (name string, cc CC, err error) {
	name, err = unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return "", CC{}, fmt.Errorf("get TCP_CONGESTION: %w", err)
	}
	var buf [bufferSize]byte
	n, err := getsockopt(fd, unix.TCP_CC_INFO, buf[:])
	if errors.Is(err, unix.ENOPROTOOPT) { // before Linux 4.1
		return name, CC{}, nil
	}
	if err != nil {
		return name, CC{}, fmt.Errorf("get TCP_CC_INFO: %w", err)
	}
	cc, err = ParseCC(name, buf[:n])
	return name, cc, err
}

// getsockopt reads an option of unknown length, for which x/sys/unix has no
// call.
func getsockopt(fd, option int, buf []byte) (int, error) {
	n := uint32(len(buf))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, uintptr(option),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
