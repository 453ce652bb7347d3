//go:build !slim

package probe

import (
	"errors"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/probe/headers"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// reading is the headers of the packets of a lone stream, being read.
type reading struct{ follows *headers.Following }

// readHeaders has the client begin to read the headers of a test's packets, where it has
// one stream and this host may.
func (c *checker) readHeaders(client *iperf3.Client, d record.Direction, streams int) *reading {
	r := new(reading)
	if streams == 1 {
		client.Opened = func(conn net.Conn) {
			r.end(nil) // of a stream that the server refused
			r.follows = follow(c.run.Route.Device, conn, d)
		}
	}
	return r
}

// follow begins to read the headers of a stream's packets on a device; nil where it is no
// socket of this host or where that takes more rights, as without root. The rules do
// without.
func follow(device string, conn net.Conn, d record.Direction) *headers.Following {
	local, near := conn.LocalAddr().(*net.TCPAddr)
	remote, far := conn.RemoteAddr().(*net.TCPAddr)
	segment, err := segmentSize(conn)
	if !near || !far || err != nil {
		return nil
	}
	f, err := headers.Follow(device, local.AddrPort(), remote.AddrPort(), d == record.Up, segment)
	if err != nil {
		return nil
	}
	return f
}

// segmentSize is the most payload of a connection's segments, in bytes.
func segmentSize(conn net.Conn) (size int, err error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { size, failed = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG) })
	return size, errors.Join(err, failed)
}

// end is what the headers told of a test; nil where none were read.
func (r *reading) end(test *iperf3.Result) *record.Packets {
	if r.follows == nil {
		return nil
	}
	var start time.Time
	if test != nil {
		start = test.Start
	}
	p, err := r.follows.End(start)
	if err != nil {
		return nil
	}
	return p
}
