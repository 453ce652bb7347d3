//go:build unix

package link

import (
	"errors"
	"net"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ShareAddress lets several UDP sockets have one address: the one that waits
// for streams, and one connected to each peer.
func ShareAddress(c syscall.RawConn) (err error) {
	ctl := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
		if runtime.GOOS != "linux" && err == nil { // where SO_REUSEADDR is not enough
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
	})
	return errors.Join(ctl, err)
}

// SetListenerMSS makes connections to come advertise the MSS, which is too
// late to set once they are there. The returned function undoes it.
func SetListenerMSS(l net.Listener, mss int) (undo func()) {
	tcp, ok := l.(syscall.Conn)
	if !ok || mss == 0 {
		return func() {}
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return func() {}
	}
	set := func(mss int) {
		// Refused, connections have the MSS that the path gives.
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, mss) })
	}
	set(mss)
	return func() { set(0) }
}
