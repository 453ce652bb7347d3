//go:build !slim

package probe

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/probe/headers"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// reading is the headers of one stream's packets, being read; nil where they are not.
type reading struct{ *headers.Following }

// readHeaders begins to read the headers of a stream's packets, where this host may.
func (c *checker) readHeaders(conn net.Conn, d record.Direction) reading {
	socket, ok := conn.(syscall.Conn)
	local, isTCP := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !isTCP {
		return reading{}
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return reading{}
	}
	var segment int
	failed := raw.Control(func(fd uintptr) {
		segment, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG)
	})
	if failed != nil || err != nil {
		return reading{}
	}
	remote, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return reading{}
	}
	f, err := headers.Follow(c.run.Route.Device, local.AddrPort(), remote.AddrPort(), d == record.Up, segment)
	if err != nil {
		return reading{} // without root there are none; the rules do without
	}
	return reading{f}
}

// end is what the headers told of a test; nil where nothing was read.
func (r reading) end(test *iperf3.Result) *record.Packets {
	if r.Following == nil {
		return nil
	}
	var start time.Time
	if test != nil {
		start = test.Start
	}
	p, err := r.End(start)
	if err != nil || test == nil {
		return nil
	}
	return p
}
