package iperf3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/wire"
)

// A Client runs tests. The zero value is ready to use, and a Client may be
// used for one test after another, or for several servers at once.
type Client struct {
	// Dialer opens the control and the data connections; its Control function
	// is called for each of them. Nil is a zero Dialer.
	Dialer *net.Dialer
	// Dial opens the TCP connections instead of Dialer, if set: where this host
	// cannot open them, and they come from the server's side or through something
	// else. They need not be sockets. What a test asks of a socket is set once it
	// is connected, the size of segments (Test.MSS, Segments, ControlMSS) not.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialUDP opens the UDP streams instead of Dialer, if set: where the server's
	// host has to send first, so that a firewall before it lets them in. address is
	// the server's end of the control connection.
	DialUDP func(ctx context.Context, address string) (net.Conn, error)
	// Late keeps the sockets of UDP streams that were sent, if set, for a server that
	// takes one of their late datagrams for the opening of a later test.
	Late *Late
	// Timeout bounds each wait for the server; 10 s when zero.
	Timeout time.Duration
	// BusyWait is how long to wait for a server that is busy with another test.
	BusyWait time.Duration
	// SampleEvery is the time between two samples of TCP_INFO; 20 ms when
	// zero.
	SampleEvery time.Duration
	// Progress is called just before the first byte is sent, about every 150 ms while
	// the test runs, and at each slot's end, if set. It must not block.
	Progress func(Progress)
	// Enough is asked as often, if set; true ends the test as if its time were
	// over. It must not block.
	Enough func(Progress) bool
	// Ready is called once the server is ready for the streams, before the first is
	// opened, if set; its error ends the test. What has to be over before data flows,
	// such as an earlier test's queue, can drain while server and client agree.
	Ready func(context.Context) error
	// Opened is called with each TCP stream once it is open, before any data is sent on
	// it, if set; where several open at once, from as many goroutines.
	Opened func(net.Conn)
	// ControlMSS bounds the segments of the control connections, both ways, where
	// the system can: on a path on which large packets vanish, the results would.
	// 0 is the system's own.
	ControlMSS int
	// Token is sent to servers that want one; see Server.Token.
	Token string
	// Login is sent to stock servers that want a user name; see Login.
	Login *Login

	helloWait time.Duration // the least for the answer to a first opening; firstHelloWait when zero
}

const (
	defaultTimeout     = 10 * time.Second
	defaultSampleEvery = 20 * time.Millisecond
	progressEvery      = 150 * time.Millisecond

	// restartGrace is how long a refused, dropped or denied connection is tried
	// again in any case: after a test stock servers are busy for a moment, and
	// close their port for another.
	restartGrace = time.Second
	firstBackoff = 20 * time.Millisecond
	maxBackoff   = time.Second
)

// Run runs one test against the server at addr, "host" or "host:port", and
// returns when it has ended and the server is free again.
//
// If the test fails once it runs, Run returns what was measured until then
// together with the error. When ctx ends, Run takes leave of the server and
// returns the cause.
func (c *Client) Run(ctx context.Context, addr string, t Test) (*Result, error) {
	t, err := t.withDefaults()
	if err != nil {
		return nil, err
	}
	addr = withPort(addr)
	congestion := t.remoteCongestion()
	result, err := c.runOnce(ctx, addr, t, congestion)
	if err != nil && congestion != "" && isCongestionRefused(err) {
		if congestion == defaultCongestion {
			// Not a Linux server: there an unknown name is an error.
			result, err = c.runOnce(ctx, addr, t, "")
		} else {
			err = fmt.Errorf("%w (%w)", ErrCongestionDenied, err)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return result, fmt.Errorf("iperf3 test with %s: %w", addr, err)
	}
	return result, nil
}

func (c *Client) runOnce(ctx context.Context, addr string, t Test, congestion string) (*Result, error) {
	token := c.Token
	if c.Login != nil {
		var err error
		if token, err = c.Login.token(time.Now()); err != nil {
			return nil, err
		}
	}
	c.Late.forget()
	id := newCookie()
	offer := func(t *Test) wire.Params { return t.params(congestion, token) }
	ctl, err := c.connect(ctx, addr, id, &t, offer)
	if err != nil {
		return nil, err
	}
	s := &session{client: c, ctl: ctl, cookie: id, result: &Result{Server: addr, Cookie: id.String(), Test: t}}
	defer s.close()
	return s.run(ctx)
}

// Knock asks whether an iperf3 server at addr would take a test now, and leaves
// before one begins. It asks once, for at most Timeout.
func (c *Client) Knock(ctx context.Context, addr string) error {
	ctl, err := c.open(ctx, withPort(addr))
	if err == nil {
		defer ctl.conn.Close()
		err = c.knock(ctx, ctl, newCookie(), nil, c.timeout())
	}
	if err != nil {
		return fmt.Errorf("ask for an iperf3 server at %s: %w", addr, err)
	}
	ctl.leave()
	return nil
}

// connect opens the control connection and gets as far as CREATE_STREAMS,
// which a server sends only when it is free. It completes the test with what
// the connection tells.
func (c *Client) connect(ctx context.Context, addr string, id wire.Cookie, t *Test, offer func(*Test) wire.Params) (*control, error) {
	start := time.Now()
	for backoff := firstBackoff; ; backoff = min(2*backoff, maxBackoff) {
		ctl, err := c.open(ctx, addr)
		knocked := false
		if err == nil {
			t.fitLength(ctl.conn)
			params := offer(t)
			err = c.knock(ctx, ctl, id, &params, c.patience(start))
			knocked = err == nil
		}
		if knocked {
			if err = c.admitted(ctx, ctl, c.patience(start)); err == nil {
				return ctl, nil
			}
		}
		var patience time.Duration
		switch {
		case errors.Is(err, ErrBusy):
			patience = max(c.BusyWait, restartGrace)
		case !knocked && (errors.Is(err, ErrRefused) || errors.Is(err, ErrVanished)):
			patience = restartGrace
		}
		if time.Since(start)+backoff > patience {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(backoff):
		}
	}
}

// patience is how long to wait for an answer that a busy server defers, by a
// client that began to ask at start.
func (c *Client) patience(start time.Time) time.Duration {
	return max(c.timeout(), c.BusyWait-time.Since(start))
}

// open makes one attempt to open a control connection.
func (c *Client) open(ctx context.Context, addr string) (*control, error) {
	dialer := c.dialer()
	if dialer.Timeout == 0 {
		dialer.Timeout = c.timeout()
	}
	if c.ControlMSS > 0 {
		control := dialer.Control
		dialer.Control = func(network, address string, raw syscall.RawConn) error {
			if control != nil {
				if err := control(network, address, raw); err != nil {
					return err
				}
			}
			_, err := link.Options{MSS: c.ControlMSS}.Set(network, raw)
			return err
		}
	}
	dial := dialer.DialContext
	if c.Dial != nil {
		dial = c.Dial
	}
	conn, err := dial(ctx, "tcp", addr)
	if err != nil {
		return nil, unopened(err)
	}
	return &control{conn: conn, timeout: c.timeout()}, nil
}

// knock gets as far as PARAM_EXCHANGE. The parameters, if any, follow the cookie at
// once: a server reads them when it has sent that state, and the wait for it would be
// another round trip.
func (c *Client) knock(ctx context.Context, ctl *control, id wire.Cookie, p *wire.Params, patience time.Duration) (err error) {
	undo := context.AfterFunc(ctx, func() { ctl.conn.Close() })
	defer undo()
	defer func() {
		if err != nil {
			ctl.conn.Close()
		}
	}()
	var words bytes.Buffer
	words.Write(id[:])
	if p != nil {
		if err := wire.WriteJSON(&words, *p); err != nil {
			return fmt.Errorf("write the parameters: %w", err)
		}
	}
	// A busy server says so, reads nothing and closes, which resets the connection.
	began := time.Now()
	sent := ctl.write(words.Bytes())
	got, err := ctl.receive(patience)
	ctl.rtt = time.Since(began)
	if err != nil && sent != nil {
		return fmt.Errorf("send the cookie: %w", vanished(sent))
	}
	var netErr net.Error
	if errors.As(err, &netErr) && netErr.Timeout() {
		return fmt.Errorf("%w: no answer for %v", ErrBusy, patience.Round(time.Second/10))
	}
	if err != nil {
		return fmt.Errorf("wait for %v: %w", wire.ParamExchange, vanished(err))
	}
	return ctl.verify(wire.ParamExchange, got)
}

// admitted waits for the server to accept the parameters. A server may do so only
// when the client's turn has come.
func (c *Client) admitted(ctx context.Context, ctl *control, patience time.Duration) (err error) {
	undo := context.AfterFunc(ctx, ctl.leave)
	defer undo()
	defer func() {
		if err != nil {
			ctl.leave()
		}
	}()
	got, err := ctl.receive(patience)
	if err != nil {
		return fmt.Errorf("wait for %v: %w", wire.CreateStreams, vanished(err))
	}
	return ctl.verify(wire.CreateStreams, got)
}

// fitLength chooses the length of datagrams where the test leaves it open: what
// fits in a packet of the connection's path.
func (t *Test) fitLength(conn net.Conn) {
	if t.Length > 0 {
		return
	}
	t.Length = defaultUDPLength
	if mss := link.MaxSegment(conn); mss >= minUDPLength && mss < defaultUDPLength {
		t.Length = mss
	}
}

func (c *Client) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return defaultTimeout
}

func (c *Client) sampleEvery() time.Duration {
	if c.SampleEvery > 0 {
		return c.SampleEvery
	}
	return defaultSampleEvery
}

// dialer returns a copy that may be altered.
func (c *Client) dialer() net.Dialer {
	if c.Dialer == nil {
		return net.Dialer{}
	}
	return *c.Dialer
}

// isCongestionRefused tells whether a server ended the test when it was to set
// the placeholder: 3.12 just drops the connection.
func isCongestionRefused(err error) bool {
	var reported *ServerError
	if errors.As(err, &reported) {
		return reported.Code == wire.CodeSetCongestion
	}
	return errors.Is(err, errBeforeStart) && errors.Is(err, ErrVanished)
}

// errBeforeStart marks what a server said, or that it closed the connection,
// after the streams were created.
var errBeforeStart = errors.New("before the test started")

// withPort adds iperf3's port to an address that has none.
func withPort(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(strings.Trim(addr, "[]"), strconv.Itoa(DefaultPort))
}
