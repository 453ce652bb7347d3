package session

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// joined is a listener that also takes connections which this host opened.
type joined struct {
	*net.TCPListener
	arrived chan net.Conn
	gone    chan struct{}
	close   sync.Once
}

func join(l *net.TCPListener) *joined {
	j := &joined{TCPListener: l, arrived: make(chan net.Conn), gone: make(chan struct{})}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				j.Close()
				return
			}
			if !j.add(conn) {
				return
			}
		}
	}()
	return j
}

// add hands a connection over, and closes it where nobody listens any more.
func (j *joined) add(conn net.Conn) bool {
	select {
	case j.arrived <- conn:
		return true
	case <-j.gone:
		conn.Close()
		return false
	}
}

func (j *joined) Accept() (net.Conn, error) {
	select {
	case conn := <-j.arrived:
		return conn, nil
	case <-j.gone:
		return nil, net.ErrClosed
	}
}

func (j *joined) Close() error {
	err := j.TCPListener.Close()
	j.close.Do(func() { close(j.gone) })
	return err
}

var _ syscall.Conn = (*joined)(nil)

// dialTime bounds a connection back, its token included.
const dialTime = 10 * time.Second

// dial connects to the near end and hands the connection to the server.
func (s *far) dial(ctx context.Context, d Dial) (Dialed, error) {
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	if server == nil {
		return Dialed{}, fmt.Errorf("no server runs that could take the connection: ask for %q first", DoServe)
	}
	if len(d.Token) > 256 {
		return Dialed{}, fmt.Errorf("a token of %d bytes", len(d.Token))
	}
	dialer := net.Dialer{Timeout: dialTime, KeepAlive: -1}
	conn, err := dialer.DialContext(ctx, "tcp", d.Address)
	if err != nil {
		return Dialed{}, fmt.Errorf("connect back: %w", err)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(dialTime))
	if _, err := conn.Write([]byte(d.Token + "\n")); err != nil {
		conn.Close()
		return Dialed{}, fmt.Errorf("connect back: %w", err)
	}
	_ = conn.SetWriteDeadline(time.Time{})
	local := conn.LocalAddr().String()
	s.mu.Lock()
	if len(s.dialed) >= mostDialed {
		clear(s.dialed)
	}
	s.dialed[local] = conn.RemoteAddr()
	s.mu.Unlock()
	if !server.listener.add(conn) {
		return Dialed{}, fmt.Errorf("the server is gone")
	}
	return Dialed{Local: local}, nil
}

// mostDialed bounds the connections that are remembered: a test of UDP asks for
// the last one alone.
const mostDialed = 1024
