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
	if err := s.greet(ctx, conns, heard); err != nil {
		return nil, err
	}
	for n, sending := range directions {
		stream, err := link.NewUDP(conns[n], stamps(t))
		if err != nil {
			return flows, fmt.Errorf("take over stream %d: %w", streamID(n), err)
		}
		flows = append(flows, &flow{id: streamID(n), turn: n, sending: sending, udp: stream})
	}
	return flows, nil
}

// greet opens the streams of conns until each has had a reply or the server
// goes on.
func (s *session) greet(ctx context.Context, conns []net.Conn, heard *hearing) error {
	limit := min(s.client.timeout(), helloLimit)
	lastReply := time.Now()
	waiting := conns
	for len(waiting) > 0 {
		var silent []net.Conn
		for _, conn := range waiting {
			answered, err := greetOne(ctx, conn, heard)
			if err != nil {
				return err
			}
			if heard.within(0) { // TEST_START, or the reason why not
				return nil
			}
			if answered {
				lastReply = time.Now()
			} else {
				silent = append(silent, conn)
			}
		}
		waiting = silent
		if len(waiting) > 0 && time.Since(lastReply) > limit {
			return fmt.Errorf("open %d of %d streams: %w", len(waiting), len(conns), ErrUDPBlocked)
		}
	}
	return nil
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
