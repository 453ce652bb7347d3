//go:build !slim

package remote

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Through opens a TCP connection from the far host to an address there, inside
// the SSH connection. It is no socket of this host: nobody here knows its
// TCP_INFO. What goes wrong shows when it is first read.
func (h *Host) Through(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	cmd := h.Target.ssh(h.options, h.control.path(), "-o", "LogLevel=ERROR", "-W", address.String())
	c := &channel{host: h, cmd: cmd, address: net.TCPAddrFromAddrPort(address), gone: make(chan struct{})}
	// Pipes of the system's, which know deadlines.
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c.w = ours
	ours, theirOut, err := os.Pipe()
	if err != nil {
		c.w.Close()
		return nil, err
	}
	defer theirOut.Close()
	c.r = ours
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirOut, &c.said
	err = ctx.Err()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.r.Close()
		c.w.Close()
		return nil, fmt.Errorf("open a connection through ssh: %w", err)
	}
	go func() {
		_ = cmd.Wait()
		close(c.gone)
	}()
	return c, nil
}

// channel is a connection through ssh.
type channel struct {
	host    *Host
	cmd     *exec.Cmd
	r, w    *os.File
	address net.Addr
	said    tail
	heard   bool
	gone    chan struct{}
	closer  sync.Once
}

// Read tells what ssh said where the connection ended before it began.
func (c *channel) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.heard = c.heard || n > 0
	if err == io.EOF && !c.heard {
		select {
		case <-c.gone:
		case <-time.After(time.Second):
		}
		said := c.said.last()
		if said == "" { // the connection's own ssh says it
			said = last(c.host.log.lines())
		}
		if said != "" {
			return n, &Error{
				Target: c.host.Target, what: "ssh opens no connection there", said: said, cause: io.EOF,
				hint: "its sshd may forbid it (AllowTcpForwarding); open a port, or let it reach this host",
			}
		}
	}
	return n, err
}

func (c *channel) Write(p []byte) (int, error)        { return c.w.Write(p) }
func (c *channel) LocalAddr() net.Addr                { return &net.TCPAddr{IP: net.IPv4zero} }
func (c *channel) RemoteAddr() net.Addr               { return c.address }
func (c *channel) SetReadDeadline(t time.Time) error  { return c.r.SetReadDeadline(t) }
func (c *channel) SetWriteDeadline(t time.Time) error { return c.w.SetWriteDeadline(t) }

func (c *channel) SetDeadline(t time.Time) error {
	if err := c.r.SetDeadline(t); err != nil {
		return err
	}
	return c.w.SetDeadline(t)
}

// Close ends the connection, also where data is still on its way.
func (c *channel) Close() error {
	c.closer.Do(func() {
		c.w.Close()
		c.r.Close()
		select {
		case <-c.gone:
		case <-time.After(100 * time.Millisecond):
			_ = c.cmd.Process.Kill()
			<-c.gone
		}
	})
	return nil
}

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxSaidLine):]
	return len(p), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLine(string(t.text))
}
