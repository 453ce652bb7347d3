package link

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"unchoke/iperf3/internal/pace"
	"unchoke/tcpinfo"
)

// netTCP moves data through package net: where there is nothing faster, and
// for connections that have no descriptor.
type netTCP struct {
	conn net.Conn
	buf  []byte
	done atomic.Bool
}

// readSize is how many bytes one call takes from a TCP connection.
const readSize = 128 << 10

func (l *netTCP) Send(p []byte, patience time.Duration) (int, error) {
	if err := l.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	n, err := l.conn.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

func (l *netTCP) Receive() (int, error) {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	return deadlineRead(l.conn, l.buf, &l.done)
}

func (l *netTCP) Tune(int64)         {}
func (l *netTCP) Narrow()            {}
func (l *netTCP) Congestion() string { return "" }
func (l *netTCP) Buffer(bool) int    { return 0 }

// Info asks the system where there is a socket behind the connection.
func (l *netTCP) Info() (tcpinfo.Info, error) {
	socket, ok := l.conn.(syscall.Conn)
	if !ok {
		return tcpinfo.Info{}, tcpinfo.ErrNotSupported
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return tcpinfo.Info{}, err
	}
	return tcpinfo.Get(raw)
}

func (l *netTCP) Interrupt() {
	l.done.Store(true)
	_ = l.conn.SetReadDeadline(time.Now())
}

func (l *netTCP) Close() error { return l.conn.Close() }

// netUDP does for datagrams what netTCP does for streams.
type netUDP struct {
	conn     net.Conn
	borrowed bool // its owner uses it again
	buf      []byte
	done     atomic.Bool
}

func (l *netUDP) MaxBatch(int) int { return pace.MinGroup }

func (l *netUDP) Send(p []byte, n int) (int, error) {
	if err := l.conn.SetWriteDeadline(time.Now().Add(PollEvery)); err != nil {
		return 0, err
	}
	size := len(p) / n
	for i := range n {
		_, err := l.conn.Write(p[i*size : (i+1)*size])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return i, ErrFull
		case IsRefused(err), isNoBuffers(err):
			return i, ErrDropped
		case err != nil:
			return i, err
		}
	}
	return n, nil
}

func (l *netUDP) Receive(got func([]byte, int, time.Time)) error {
	if l.buf == nil {
		l.buf = make([]byte, 1<<16)
	}
	n, err := deadlineRead(l.conn, l.buf, &l.done)
	if n > 0 {
		got(l.buf[:n], n, time.Now())
	}
	if IsRefused(err) || IsReset(err) { // an ICMP message about a datagram sent before
		return nil
	}
	return err
}

func (l *netUDP) Interrupt() {
	l.done.Store(true)
	_ = l.conn.SetReadDeadline(time.Now())
}

func (l *netUDP) Close() error {
	if l.borrowed {
		return l.conn.SetDeadline(time.Time{})
	}
	return l.conn.Close()
}

func deadlineRead(conn net.Conn, buf []byte, done *atomic.Bool) (int, error) {
	if err := conn.SetReadDeadline(time.Now().Add(PollEvery)); err != nil {
		return 0, err
	}
	n, err := conn.Read(buf)
	switch {
	case done.Load():
		return 0, io.EOF
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, nil
	}
	return n, err
}
