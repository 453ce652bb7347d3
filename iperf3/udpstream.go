package iperf3

import (
	"context"
	"fmt"
	"net"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
)

const (
	firstHelloWait = 250 * time.Millisecond
	// helloTries for one stream before the next one is tried: so many lost in a
	// row mean that something else is wrong.
	helloTries = 4
	// helloLimit is how long no reply at all is borne.
	helloLimit = 5 * time.Second
)

// openUDP opens the UDP streams, one after the other as stock servers need
// it. A lost reply cannot be told from a lost opening, and is not repeated by
// a stock server. So after some attempts the next stream is tried, and
// TEST_START means that the server has them all.
func (s *session) openUDP(ctx context.Context, heard *hearing) (flows []*flow, err error) {
	t := &s.result.Test
	directions := t.directions(clientRole)
	var conns []net.Conn
	defer func() {
		if err != nil {
			for _, conn := range conns[len(flows):] {
				conn.Close()
			}
		}
	}()
	for n, sending := range directions {
		conn, err := s.dial(ctx, "udp", n, sending)
		if err != nil {
			return nil, fmt.Errorf("open stream %d: %w", streamID(n), err)
		}
		conns = append(conns, conn)
	}
	silent, err := s.greet(ctx, conns, heard)
	if err != nil {
		return nil, err
	}
	if len(silent) > 0 {
		if err := s.adopt(conns, directions); err != nil {
			return nil, err
		}
	}
	for n, sending := range directions {
		if sending {
			conns[n] = s.client.Late.keep(conns[n])
		}
		stream, err := link.NewUDP(conns[n], stamps(t))
		if err != nil {
			return flows, fmt.Errorf("take over stream %d: %w", streamID(n), err)
		}
		flows = append(flows, &flow{id: streamID(n), turn: n, sending: sending, udp: stream})
	}
	return flows, nil
}

// adopt puts the socket of an earlier test in the place of the only one, which a server is
// to send to, if the server answered there. Any other test has lost a stream to that socket.
func (s *session) adopt(conns []net.Conn, sending []bool) error {
	late := s.client.Late.answered(lateWait)
	switch {
	case late == nil:
		return nil // the reply was lost
	case len(conns) > 1 || sending[0]:
		return fmt.Errorf("%w: it took a datagram of an earlier test for the opening of a stream", ErrVanished)
	}
	conns[0].Close()
	conns[0] = late
	_, err := s.take(late, nil, "udp", 0, false)
	return err
}

// lateWait is for a reply that was sent just before the word that the server goes on.
const lateWait = 20 * time.Millisecond

// greet opens the streams of conns until each has had a reply or the server
// goes on, and returns those without a reply.
func (s *session) greet(ctx context.Context, conns []net.Conn, heard *hearing) (silent []net.Conn, err error) {
	limit := min(s.client.timeout(), helloLimit)
	lastReply := time.Now()
	for waiting := conns; len(waiting) > 0; waiting = silent {
		silent = nil
		for i, conn := range waiting {
			answered, err := greetOne(ctx, conn, heard)
			if err != nil {
				return nil, err
			}
			if answered {
				lastReply = time.Now()
			} else {
				silent = append(silent, conn)
			}
			if heard.within(0) { // TEST_START, or the reason why not
				return append(silent, waiting[i+1:]...), nil
			}
		}
		if len(silent) > 0 && time.Since(lastReply) > limit {
			return nil, fmt.Errorf("open %d of %d streams: %w", len(silent), len(conns), ErrUDPBlocked)
		}
	}
	return nil, nil
}

// greetOne opens one stream, trying some times.
func greetOne(ctx context.Context, conn net.Conn, heard *hearing) (answered bool, err error) {
	buf := make([]byte, 16)
	wait := firstHelloWait
	for range helloTries {
		if _, err := conn.Write(datagram.Hello()); err != nil && !link.IsRefused(err) {
			return false, fmt.Errorf("open a UDP stream: %w", err)
		}
		until := time.Now().Add(wait)
		if err := conn.SetReadDeadline(until); err != nil {
			return false, err
		}
		for time.Now().Before(until) {
			n, err := conn.Read(buf)
			if err == nil && datagram.IsReply(buf[:n]) {
				return true, nil
			}
			if link.IsRefused(err) { // a firewall, or a server between two sockets
				if heard.within(min(wait, time.Until(until))) {
					return false, nil
				}
			}
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if heard.within(0) {
			return false, nil
		}
		wait *= 2
	}
	return false, nil
}
