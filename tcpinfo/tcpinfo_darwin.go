package tcpinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// GetFD is Get for a file descriptor.
func GetFD(fd int) (Info, error) {
	c, err := unix.GetsockoptTCPConnectionInfo(fd, unix.IPPROTO_TCP, unix.TCP_CONNECTION_INFO)
	if err != nil {
		return Info{}, fmt.Errorf("get TCP_CONNECTION_INFO: %w", err)
	}
	return ParseConnectionInfo(unsafe.Slice((*byte)(unsafe.Pointer(c)), unsafe.Sizeof(*c)))
}
