package far

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"unchoke/iperf3"
)

// How often and how long a datagram of the far host is waited for: a first one
// is lost where this host's own firewall does not know the far one yet.
const (
	inviteTries = 4
	inviteWait  = 400 * time.Millisecond
)

// invite opens a UDP stream to a far host that lets in only what answers it: it is
// asked to send first, to a port of this host's, and the stream goes to where that
// came from, whatever an address translation made of it. near is where the far host
// finds this one, far the far end of the control connection.
func invite(ctx context.Context, near, far string, ask func(ctx context.Context, port int, token string) error) (net.Conn, error) {
	address, err := netip.ParseAddrPort(near)
	if err != nil {
		return nil, fmt.Errorf("an address of this host: %w", err)
	}
	network := "udp6"
	if address.Addr().Is4() {
		network = "udp4"
	}
	conn, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, fmt.Errorf("open a UDP port for the far host: %w", err)
	}
	port := conn.LocalAddr().(*net.UDPAddr).Port
	from, err := invited(ctx, conn, port, far, ask)
	local := &net.UDPAddr{Port: port}
	conn.Close()
	if err != nil {
		return nil, err
	}
	stream, err := net.DialUDP(network, local, from)
	if err != nil {
		return nil, fmt.Errorf("answer the far host: %w", err)
	}
	return stream, nil
}

// invited waits for the far host's datagram, which holds the token, and is where
// it came from.
func invited(ctx context.Context, conn *net.UDPConn, port int, far string, ask func(ctx context.Context, port int, token string) error) (*net.UDPAddr, error) {
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // does not fail
	token := hex.EncodeToString(secret)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	said := make([]byte, len(token)+1)
	for range inviteTries {
		// This opens this host's own firewall; the far one's drops it.
		if to, err := net.ResolveUDPAddr(conn.LocalAddr().Network(), far); err == nil {
			_, _ = conn.WriteToUDP([]byte{0}, to)
		}
		if err := ask(ctx, port, token); err != nil {
			return nil, fmt.Errorf("ask the far host for a datagram: %w", err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(inviteWait))
		for {
			n, from, err := conn.ReadFromUDP(said)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				break
			}
			if string(said[:n]) == token {
				return from, nil
			}
		}
	}
	return nil, fmt.Errorf("no datagram of the far host arrives here: %w", iperf3.ErrUDPBlocked)
}

// latest is the far end of the latest connection from there, as its host has it:
// known once the far host has told.
type latest struct {
	mu     sync.Mutex
	answer chan string
}

// expect begins to wait for the far host's word of a connection.
func (l *latest) expect() chan<- string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = make(chan string, 1)
	return l.answer
}

// wait returns that word, again where it is asked for again.
func (l *latest) wait(ctx context.Context) (string, error) {
	l.mu.Lock()
	answer := l.answer
	l.mu.Unlock()
	select {
	case from := <-answer:
		answer <- from
		return from, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
