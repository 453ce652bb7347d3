package iperf3

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/windows"
)

// shareAddress lets several UDP sockets have one address: the one that waits
// for streams, and one connected to each peer.
func shareAddress(c syscall.RawConn) (err error) {
	ctl := c.Control(func(fd uintptr) {
		err = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, windows.SO_REUSEADDR, 1)
	})
	return errors.Join(ctl, err)
}

// setListenerMSS does nothing: Windows does not let a program set the MSS.
func setListenerMSS(net.Listener, int) (undo func()) { return func() {} }
