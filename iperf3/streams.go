package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"unchoke/iperf3/internal/link"
)

// openStreams opens the data connections, in order or at once. It returns those that
// it opened also when it fails.
func (s *session) openStreams(ctx context.Context, heard *hearing) ([]*flow, error) {
	t := &s.result.Test
	if t.Protocol == UDP {
		return s.openUDP(ctx, heard)
	}
	directions := t.directions(clientRole)
	if t.AtOnce {
		return s.openTogether(ctx, heard, directions)
	}
	var flows []*flow
	for n, sending := range directions {
		f, err := s.connectTCP(ctx, n, sending)
		if err != nil {
			return flows, s.explain(heard, err)
		}
		flows = append(flows, f)
	}
	return flows, nil
}

// openTogether opens all TCP streams side by side.
func (s *session) openTogether(ctx context.Context, heard *hearing, directions []bool) ([]*flow, error) {
	all, errs := make([]*flow, len(directions)), make([]error, len(directions))
	var opened sync.WaitGroup
	for n, sending := range directions {
		opened.Go(func() { all[n], errs[n] = s.connectTCP(ctx, n, sending) })
	}
	opened.Wait()
	flows := slices.DeleteFunc(all, func(f *flow) bool { return f == nil })
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return flows, s.explain(heard, errs[i])
	}
	return flows, nil
}

// connectTCP opens the nth stream and says whose it is.
func (s *session) connectTCP(ctx context.Context, n int, sending bool) (*flow, error) {
	conn, err := s.dial(ctx, "tcp", n, sending)
	if err != nil {
		return nil, fmt.Errorf("open stream %d: %w", streamID(n), err)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(s.client.timeout()))
	if _, err := conn.Write(s.cookie[:]); err != nil {
		conn.Close()
		return nil, fmt.Errorf("send the cookie on stream %d: %w", streamID(n), vanished(err))
	}
	if s.client.Opened != nil {
		s.client.Opened(conn)
	}
	stream, err := link.NewTCP(conn)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("take over stream %d: %w", streamID(n), err)
	}
	return &flow{id: streamID(n), turn: n, sending: sending, tcp: stream}, nil
}

// dial opens the nth data connection, to the address that the control
// connection reached.
func (s *session) dial(ctx context.Context, network string, n int, sending bool) (net.Conn, error) {
	switch address := s.ctl.conn.RemoteAddr().String(); {
	case s.client.Dial != nil && network == "tcp":
		conn, err := s.client.Dial(ctx, network, address)
		return s.take(conn, err, network, n, sending)
	case s.client.DialUDP != nil && network == "udp":
		conn, err := s.client.DialUDP(ctx, address)
		return s.take(conn, err, network, n, sending)
	}
	dialer := s.client.dialer()
	if dialer.Timeout == 0 {
		dialer.Timeout = s.client.timeout()
	}
	dialer.KeepAlive = -1
	if local, ok := dialer.LocalAddr.(*net.TCPAddr); ok && network == "udp" {
		dialer.LocalAddr = &net.UDPAddr{IP: local.IP, Zone: local.Zone}
	}
	control := dialer.ControlContext
	if old := dialer.Control; control == nil && old != nil {
		control = func(_ context.Context, network, address string, c syscall.RawConn) error {
			return old(network, address, c)
		}
	}
	dialer.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
		if control != nil {
			if err := control(ctx, network, address, c); err != nil {
				return err
			}
		}
		options := s.options(n, sending)
		options.MSS = s.result.Test.segment(n)
		warnings, err := options.Set(network, c)
		s.warn(warnings...)
		return err
	}
	conn, err := dialer.DialContext(ctx, network, s.ctl.conn.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	return s.withoutDelay(conn)
}

// options of the nth data connection, without the size of segments.
func (s *session) options(n int, sending bool) link.Options {
	o := s.result.Test.options(sending)
	o.Congestion, o.MSS = s.result.Test.congestion(n), 0
	return o
}

// take takes the nth data connection from who opened it.
func (s *session) take(conn net.Conn, err error, network string, n int, sending bool) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	options := s.options(n, sending)
	if s.result.Test.segment(n) > 0 {
		s.warn("the size of segments was not set: the connection was made by others")
	}
	socket, ok := conn.(syscall.Conn)
	switch {
	case ok:
		raw, err := socket.SyscallConn()
		if err == nil {
			var warnings []string
			warnings, err = options.Set(network, raw)
			s.warn(warnings...)
		}
		if err != nil {
			conn.Close()
			return nil, err
		}
	case options.Congestion != "" && sending:
		conn.Close()
		return nil, fmt.Errorf("%w: the connection is no socket of this host", ErrCongestion)
	case options.Window > 0:
		conn.Close()
		return nil, errors.New("set the window: the connection is no socket of this host")
	}
	return s.withoutDelay(conn)
}

// withoutDelay sets TCP_NODELAY as the test asks.
func (s *session) withoutDelay(conn net.Conn) (net.Conn, error) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := tcp.SetNoDelay(s.result.Test.NoDelay); err != nil {
			conn.Close()
			return nil, fmt.Errorf("set TCP_NODELAY: %w", err)
		}
	}
	return conn, nil
}
