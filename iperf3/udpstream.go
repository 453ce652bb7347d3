package iperf3

import (
	"context"
	"fmt"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
)

// openUDP opens the UDP streams. Numbers and directions follow from the order in which
// the server took them.
func (s *session) openUDP(ctx context.Context, heard *hearing) (flows []*flow, err error) {
	t := &s.result.Test
	directions := t.directions(clientRole)
	g := greeting{
		heard: heard, wait: s.client.firstWait(s.ctl.rtt), limit: min(s.client.timeout(), helloLimit),
		again: datagram.Hello(),
	}
	if !t.Reverse { // else no server reads what a client sends
		g.again = datagram.HelloAgain(t.Length)
	}
	defer func() {
		if err != nil {
			for _, stream := range g.streams[len(flows):] {
				stream.Close()
			}
		}
	}()
	for n, sending := range directions {
		conn, err := s.dial(ctx, "udp", n, sending)
		if err != nil {
			return nil, fmt.Errorf("open stream %d: %w", streamID(n), err)
		}
		g.add(conn, sending)
	}
	if err := g.run(ctx); err != nil {
		return nil, err
	}
	if g.silent() > 0 {
		if err := s.adopt(g.streams, directions); err != nil {
			return nil, err
		}
	}
	for n, sending := range directions {
		stream, err := s.takeOver(g.streams[n], n, sending)
		if err != nil {
			return flows, fmt.Errorf("take over stream %d: %w", streamID(n), err)
		}
		flows = append(flows, &flow{id: streamID(n), turn: n, sending: sending, udp: stream})
	}
	return flows, nil
}

// takeOver makes the nth stream of an opened one.
func (s *session) takeOver(stream *greeted, n int, sending bool) (link.UDP, error) {
	if sending != stream.sending { // both sides send, and the server took others first
		if _, err := s.take(stream.Conn, nil, "udp", n, sending); err != nil {
			return nil, err
		}
	}
	if sending {
		stream.Conn = s.client.Late.keep(stream.Conn)
	}
	if kept, ok := stream.Conn.(keptOpen); ok {
		return link.BorrowUDP(kept.UDPConn, stamps(&s.result.Test))
	}
	return link.NewUDP(stream.Conn, stamps(&s.result.Test))
}

// adopt puts the socket of an earlier test in the place of the only one, which a server is
// to send to, if the server answered there. Any other test has lost a stream to that socket.
func (s *session) adopt(streams []*greeted, sending []bool) error {
	late := s.client.Late.answered(lateWait)
	switch {
	case late == nil:
		return nil // the reply was lost
	case len(streams) > 1 || sending[0]:
		return fmt.Errorf("%w: it took a datagram of an earlier test for the opening of a stream", ErrVanished)
	}
	streams[0].Close()
	streams[0].Conn = late
	_, err := s.take(late, nil, "udp", 0, false)
	return err
}

// lateWait is for a reply that was sent just before the word that the server goes on.
const lateWait = 20 * time.Millisecond
