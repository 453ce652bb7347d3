package echo

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// synTimeout is the initial retransmission timeout, RFC 6298 §2.1: an answer
// after it may be one to the second SYN, so that its round trip is not known.
const synTimeout = time.Second

// tcp times the opening of connections: the SYN is the probe, a SYN-ACK or a
// RST the answer.
type tcp struct {
	ctx    context.Context
	cancel context.CancelFunc
	to     netip.AddrPort
	dials  sync.WaitGroup

	mu      sync.Mutex
	answers []answer
}

func openTCP(ctx context.Context, to netip.AddrPort) *tcp {
	ctx, cancel := context.WithCancel(ctx)
	return &tcp{ctx: ctx, cancel: cancel, to: to}
}

func (p *tcp) send(seq uint16) error {
	p.dials.Go(func() {
		dialer := net.Dialer{Timeout: synTimeout, KeepAlive: -1}
		conn, err := dialer.DialContext(p.ctx, "tcp", p.to.String())
		at := time.Now()
		if err == nil {
			// Leave no connection in TIME-WAIT.
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		} else if !errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		p.mu.Lock()
		p.answers = append(p.answers, answer{seq, at})
		p.mu.Unlock()
	})
	return nil
}

func (p *tcp) collect() []answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers := p.answers
	p.answers = nil
	return answers
}

func (p *tcp) close() {
	p.cancel()
	p.dials.Wait()
}
