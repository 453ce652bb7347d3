package link

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/windows"
)

// ShareAddress lets several UDP sockets have one address: the one that waits
// for streams, and one connected to each peer.
func ShareAddress(c syscall.RawConn) (err error) {
	ctl := c.Control(func(fd uintptr) {
		err = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_REUSEADDR, 1)
	})
	return errors.Join(ctl, err)
}

// SetListenerMSS does nothing: Windows does not let a program set the MSS.
func SetListenerMSS(net.Listener, int) (undo func()) { return func() {} }
