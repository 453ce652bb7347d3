//go:build unix

package session

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// shareAddress lets a UDP socket have the address that others have which allow
// it too.
func shareAddress(c syscall.RawConn) (err error) {
	controlErr := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
		if runtime.GOOS != "linux" && err == nil { // where SO_REUSEADDR is not enough
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
	})
	if controlErr != nil {
		return controlErr
	}
	return err
}
