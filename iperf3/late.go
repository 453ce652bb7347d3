package iperf3

import (
	"net"
	"sync"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
)

// Late keeps the sockets by which a client sent UDP, for the next tests with the same
// server. A queue on the way, such as fq_codel's, may deliver datagrams seconds after
// their test. A stock server takes the first datagram that arrives once it is ready for
// a stream for the opening of that stream, whoever sent it: it answers, and sends the
// stream, to a socket that is closed by then, and gives the test up. Where that socket
// is still open, it is the stream, if the server sends. What the server receives on it
// belongs to two tests: that one fails with ErrVanished, for another try.
//
// The zero value is ready to use. It belongs to a Client that runs one test at a time.
type Late struct {
	mu    sync.Mutex
	conns []*net.UDPConn
}

// lateMost sockets are kept: as many as the streams of a few tests.
const lateMost = 32

// keep returns a socket for a stream to send from, which stays open when the stream
// closes it.
func (l *Late) keep(conn net.Conn) net.Conn {
	udp, ok := conn.(*net.UDPConn)
	if l == nil || !ok {
		return conn
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, udp)
	for len(l.conns) > lateMost {
		l.conns[0].Close()
		l.conns = l.conns[1:]
	}
	return keptOpen{udp}
}

// keptOpen is a socket that somebody else closes.
type keptOpen struct{ *net.UDPConn }

func (keptOpen) Close() error { return nil }

// each looks at the sockets side by side, for a time.
func (l *Late) each(wait time.Duration, look func(conn *net.UDPConn, until time.Time)) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	until := time.Now().Add(wait)
	var readers sync.WaitGroup
	for _, conn := range l.conns {
		readers.Go(func() { look(conn, until) })
	}
	readers.Wait()
}

// forget reads what came to the sockets so far: answers to tests that are over.
func (l *Late) forget() {
	l.each(forgetWait, func(conn *net.UDPConn, until time.Time) {
		for hasReply(conn, until) {
		}
	})
}

// forgetWait is enough to read what is there.
const forgetWait = time.Millisecond

// answered returns the socket to which a server answered within a time; nil where there
// is none. Datagrams that were sent from it may go on arriving, so that it stays open when
// a stream closes it.
func (l *Late) answered(wait time.Duration) net.Conn {
	replies := make(chan *net.UDPConn, lateMost)
	l.each(wait, func(conn *net.UDPConn, until time.Time) {
		if hasReply(conn, until) {
			replies <- conn
		}
	})
	select {
	case conn := <-replies:
		return keptOpen{conn}
	default:
		return nil
	}
}

// hasReply reads what came to a socket until there is the answer to an opening.
func hasReply(conn *net.UDPConn, until time.Time) bool {
	if conn.SetReadDeadline(until) != nil {
		return false
	}
	buf := make([]byte, 16)
	for time.Now().Before(until) {
		n, err := conn.Read(buf)
		switch {
		case err == nil && datagram.IsReply(buf[:n]):
			return true
		case n == 0 && !link.IsRefused(err) && !link.IsReset(err):
			return false // the time is over, or the socket of no use
		}
	}
	return false
}

// Close closes the sockets.
func (l *Late) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
	l.conns = nil
	return nil
}
