package trial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/iperf3"
	"unchoke/tcpinfo"
)

// download runs an arm as the download of a URL, over and over where its body
// ends early. The far end sends as it likes: nothing of it can be chosen.
type download struct {
	arm     Side
	network string
	agent   string

	remote netip.Addr
}

func (m *download) address() netip.Addr { return m.remote }

const (
	// answerWithin bounds the time to connect and to the response's header.
	answerWithin = 10 * time.Second
	sampleEvery  = 20 * time.Millisecond // of TCP_INFO, as with iperf3
)

func (m *download) run(ctx context.Context, omit, length time.Duration) (outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	streams := make([]*body, max(1, m.arm.Streams))
	results := make(chan error, len(streams))
	ready := make(chan struct{}, len(streams))
	begin := make(chan struct{})
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for n := range streams {
		b := m.newBody()
		streams[n] = b
		running.Go(func() { results <- b.fetch(ctx, ready, begin) })
	}
	for range streams {
		select {
		case <-ready:
		case err := <-results:
			return outcome{}, err
		}
	}
	m.remote = streams[0].remote()
	cpu := iperf3.MeasureCPU()
	start := time.Now()
	close(begin)
	samples := make([]record.Series, len(streams))
	end := time.NewTimer(omit + length)
	defer end.Stop()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case err := <-results:
			return outcome{}, err
		case <-tick.C:
		case <-end.C:
			over = true
		}
		at := time.Since(start).Seconds()
		for n, b := range streams {
			samples[n].Stream = n + 1
			samples[n].Samples = append(samples[n].Samples, b.sample(at))
		}
	}
	o := outcome{
		start: start, from: omit.Seconds(), to: time.Since(start).Seconds(),
		series: samples, retransmits: -1, cpuNear: cpu().Total,
		peer: record.Peer{Software: streams[0].software.Load().(string)},
	}
	o.note(streams)
	return o, nil
}

// note says what of the downloads is not as one might think.
func (o *outcome) note(streams []*body) {
	var again int64
	for _, b := range streams {
		again += b.again.Load()
	}
	first := streams[0]
	if again > 0 {
		o.warnings = append(o.warnings, "a body ended early and was asked for again: its rate includes the requests; a larger file would not need them")
	}
	if at := first.location.Load().(*url.URL); at.String() != first.url.String() {
		o.remarks = append(o.remarks, record.ShownURL(first.url)+" redirects to "+record.ShownURL(at))
	}
}

// body is one stream of a download.
type body struct {
	url    *url.URL // as it is; texts have what record.ShownURL leaves of it
	agent  string
	client http.Client

	bytes    atomic.Int64 // of the bodies so far
	again    atomic.Int64 // times that it was asked for again
	location atomic.Value // *url.URL: the one after redirects
	software atomic.Value // string: the Server header

	mu   sync.Mutex
	conn net.Conn // in use
}

// newBody has a connection of its own: with HTTP/2 all streams would share one.
func (m *download) newBody() *body {
	b := &body{url: m.arm.URL, agent: m.agent}
	only1 := new(http.Protocols)
	only1.SetHTTP1(true)
	dialer := net.Dialer{Timeout: answerWithin}
	b.client.Transport = &http.Transport{
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, m.network, addr)
		},
		Protocols: only1, DisableCompression: true,
		TLSHandshakeTimeout: answerWithin, ResponseHeaderTimeout: answerWithin,
	}
	return b
}

// fetch downloads until ctx ends or it fails, and returns why. It tells ready
// when the first body is there, and reads from begin on.
func (b *body) fetch(ctx context.Context, ready chan<- struct{}, begin <-chan struct{}) error {
	defer b.client.CloseIdleConnections()
	buf := make([]byte, 128<<10)
	for first := true; ; first = false {
		r, err := b.get(ctx)
		if err != nil {
			return err
		}
		if first {
			ready <- struct{}{}
			select {
			case <-begin:
			case <-ctx.Done():
			}
		} else {
			b.again.Add(1)
		}
		n, err := b.read(r.Body, buf)
		r.Body.Close()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("download %s: %w", record.ShownURL(b.url), err)
		case n == 0:
			return &webError{fmt.Errorf("download %s: the body is empty", record.ShownURL(b.url)), "name a file of some megabytes"}
		}
	}
}

// get asks for the body.
func (b *body) get(ctx context.Context) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.conn = got.Conn
	}}
	q, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodGet, b.url.String(), nil)
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", b.agent)
	q.Header.Set("Accept-Encoding", "identity") // what is downloaded is what was sent
	r, err := b.client.Do(q)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, b.refused(b.url, unanswered(err))
	}
	if r.StatusCode != http.StatusOK && r.StatusCode != http.StatusPartialContent {
		r.Body.Close()
		return nil, b.refused(r.Request.URL, fmt.Errorf("the server answers %s", r.Status))
	}
	b.location.Store(r.Request.URL)
	b.software.Store(r.Header.Get("Server"))
	return r, nil
}

// refused is for a URL, the body's own or one that it redirects to, that gives
// no body.
func (b *body) refused(at *url.URL, err error) error {
	return &webError{
		fmt.Errorf("download %s: %w", record.ShownURL(at), err),
		"check the URL: curl -o /dev/null " + finding.Quote(record.ShownURL(b.url)),
	}
}

// unanswered is why no answer came, without the URL that the client puts before
// it: it has the query's values.
func unanswered(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// read takes a body to its end and forgets it.
func (b *body) read(from io.Reader, buf []byte) (total int64, err error) {
	for {
		n, err := from.Read(buf)
		total += int64(n)
		b.bytes.Add(int64(n))
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// sample is the state of the stream: the body's bytes and what TCP says of the
// connection.
func (b *body) sample(at float64) record.Sample {
	s := record.Sample{At: at, Bytes: b.bytes.Load()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if raw := rawConn(b.conn); raw != nil {
		if info, err := tcpinfo.Get(raw); err == nil {
			s.Info = info
		}
	}
	return s
}

func (b *body) remote() netip.Addr {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.conn.RemoteAddr().(*net.TCPAddr); ok {
		return at.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// rawConn is the TCP socket below a connection, nil if there is none.
func rawConn(conn net.Conn) syscall.RawConn {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	if c, ok := conn.(*net.TCPConn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// webError is a download that cannot be.
type webError struct {
	error
	hint string
}

func (e *webError) Unwrap() error { return e.error }

// Hint says what to do next.
func (e *webError) Hint() string { return e.hint }
