package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// send sends the near end a datagram from the server's UDP port. The server's own
// socket has that port: a second one shares it for as long as this takes.
func (s *far) send(m Send) error {
	s.mu.Lock()
	near, ok := s.dialed[m.From].(*net.TCPAddr)
	s.mu.Unlock()
	switch {
	case !ok:
		return fmt.Errorf("no connection of this session begins at %.60q", m.From)
	case m.Port < 1 || m.Port > 65535:
		return fmt.Errorf("there is no port %d", m.Port)
	case len(m.Token) < 16 || len(m.Token) > 256:
		return errors.New("a datagram's token has 16 to 256 bytes")
	}
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return shareAddress(c) }}
	conn, err := config.ListenPacket(context.Background(), "udp", m.From)
	if err != nil {
		return fmt.Errorf("send from the server's UDP port: %w", err)
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(dialTime))
	if _, err := conn.WriteTo([]byte(m.Token), &net.UDPAddr{IP: near.IP, Port: m.Port, Zone: near.Zone}); err != nil {
		return fmt.Errorf("send from the server's UDP port: %w", err)
	}
	return nil
}
