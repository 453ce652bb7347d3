package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"unchoke/tcpinfo"
)

// connection is one connection to a place, and the requests on it.
type connection struct {
	place  *place
	agent  string
	client http.Client

	mu    sync.Mutex
	conn  *net.TCPConn // nil before it is open
	times times
	last  tcpinfo.Info // of a connection that was closed
}

// times are when the steps of a request were done; zero for those that were not.
type times struct {
	connecting, connected, shaking, shaken, asked, answered time.Time
}

// connect makes a connection to an address of a place; it opens with the first
// request. mss bounds its segments; 0 is no bound.
func (f *fetcher) connect(p *place, to netip.Addr, version protocol, mss int) *connection {
	c := &connection{place: p, agent: f.Agent}
	dialer := net.Dialer{Timeout: answerWithin, Control: limitSegments(mss), KeepAlive: -1}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(version == anyHTTP)
	t := &http.Transport{
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerConnection: receiveBuffer, MaxReceiveBufferPerStream: receiveBuffer},
		DisableCompression:     true,
		MaxResponseHeaderBytes: headerLimit,
		ReadBufferSize:         64 << 10,
		TLSHandshakeTimeout:    answerWithin, ResponseHeaderTimeout: answerWithin,
		MaxConnsPerHost: 1,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c.note(func(t *times) { t.connecting = time.Now() })
			conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(to.String(), p.port))
			if err != nil {
				return nil, err
			}
			tcp, ok := conn.(*net.TCPConn)
			if !ok {
				conn.Close()
				return nil, errors.New("no TCP connection")
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.conn != nil { // one and no more: its bytes are counted
				conn.Close()
				return nil, errClosed
			}
			c.conn, c.times.connected = tcp, time.Now()
			return &counted{tcp, c}, nil
		},
	}
	if p.proxy != nil {
		t.Proxy = http.ProxyURL(p.proxy)
	}
	c.client = http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c
}

// receiveBuffer is what HTTP/2 lets be under way: more than any path of a
// gigabit a second holds, so that TCP's window is the limit.
const receiveBuffer = 64 << 20

var errClosed = errors.New("the server closed the connection")

func (c *connection) note(what func(*times)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what(&c.times)
}

// get asks for the bytes from one to another, of the whole where to is negative.
// The body must be closed.
func (c *connection) get(ctx context.Context, from, to int64) (*http.Response, error) {
	c.note(func(t *times) { t.asked, t.answered = time.Time{}, time.Time{} })
	trace := &httptrace.ClientTrace{
		TLSHandshakeStart:    func() { c.note(func(t *times) { t.shaking = time.Now() }) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { c.note(func(t *times) { t.shaken = time.Now() }) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { c.note(func(t *times) { t.asked = time.Now() }) },
		GotFirstResponseByte: func() { c.note(func(t *times) { t.answered = time.Now() }) },
	}
	u := *c.place.url
	q, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", c.agent)
	q.Header.Set("Accept-Encoding", "identity") // what is downloaded is what the file is
	q.Header.Set("Accept", "*/*")
	maps.Copy(q.Header, c.place.header)
	if host := c.place.header.Get("Host"); host != "" {
		q.Host = host
		q.Header.Del("Host")
	}
	for _, cookie := range c.place.cookies {
		if cookie.For(&u, time.Now()) {
			q.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
		}
	}
	if to >= 0 {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to))
	}
	r, err := c.client.Do(q)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, c.explain(err)
	}
	return r, nil
}

// info is what TCP says of the connection now, or said when it was closed.
func (c *connection) info() tcpinfo.Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return c.last
	}
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return c.last
	}
	if info, err := tcpinfo.Get(raw); err == nil {
		c.last = info
	}
	return c.last
}

// steps are how long each step took, in seconds; 0 for one that was not done.
func (c *connection) steps() (connect, shake, first float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	between := func(a, b time.Time) float64 {
		if a.IsZero() || b.IsZero() {
			return 0
		}
		return max(b.Sub(a).Seconds(), 0)
	}
	return between(c.times.connecting, c.times.connected), between(c.times.shaking, c.times.shaken), between(c.times.asked, c.times.answered)
}

// close ends the connection and says how many bytes came over it.
func (c *connection) close() int64 {
	c.client.CloseIdleConnections()
	info := c.info()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		c.conn.Close()
	}
	return int64(info.BytesReceived)
}

// counted is a connection whose last TCP_INFO is read before it closes.
type counted struct {
	*net.TCPConn
	c *connection
}

func (k *counted) Close() error {
	k.c.info()
	return k.TCPConn.Close()
}

// limitSegments bounds a socket's segments before it connects; nil for no bound.
func limitSegments(mss int) func(network, address string, c syscall.RawConn) error {
	if mss == 0 {
		return nil
	}
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		if ctl := c.Control(func(fd uintptr) { err = setSegments(fd, mss) }); ctl != nil {
			return ctl
		}
		return err
	}
}
