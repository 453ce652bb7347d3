package session

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// shareAddress lets a UDP socket have the address that others have which allow
// it too.
func shareAddress(c syscall.RawConn) (err error) {
	controlErr := c.Control(func(fd uintptr) {
		err = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_REUSEADDR, 1)
	})
	if controlErr != nil {
		return controlErr
	}
	return err
}
