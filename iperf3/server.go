package iperf3

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"unchoke/iperf3/internal/wire"
)

// A Server runs the tests that clients ask for, one at a time. The zero value
// serves anyone, without limits but iperf3's own.
//
// The states of a client's visit: asked for parameters, refused or accepted
// (the token is among the parameters), waiting for its turn or denied it,
// creating streams, running, exchanging results, gone. Each has a deadline, and
// a client that misses one, or breaks the protocol, is gone at once. Until it
// is accepted, a client holds nothing of the server but a place in the lobby.
type Server struct {
	Limits Limits
	// Queue is how many clients may wait for the running test to end; the
	// others are told ACCESS_DENIED.
	Queue int
	// QueueWait is how long they wait at most; 1 min when zero.
	QueueWait time.Duration
	// Token, if set, must be sent by every client. Stock clients have no way
	// to, and are told that authorization failed.
	Token string
	// Timeout bounds each wait for a client, the time from its connection to its
	// parameters, and the exchange of results; 10 s when zero. To open all its
	// streams, a client has a tenth of it more for each.
	Timeout time.Duration
	// OneOff ends Serve after one test.
	OneOff bool
	// Report is called after every test and every refusal, if set; not for
	// connections that send no parameters.
	Report func(Visit)

	// SampleEvery is the time between two samples of the server's own sockets, as
	// Client.SampleEvery; zero takes none for Visit.Flows.
	SampleEvery time.Duration
	// Observer is told of each test while it runs, if set.
	Observer Observer

	lobby   lobby
	turns   turns
	mu      sync.Mutex
	current *visit // the test that takes data connections
}

// An Observer looks at what a host does while a Server's tests run, one after the
// other. A test waits for each call.
type Observer interface {
	// Begin is called when a test's streams are there, before its data flows.
	Begin(Visit)
	// Tick is called about four times a second while data flows.
	Tick()
	// End is called once it no longer does, with all that the visit has but Err.
	End(Visit)
}

// Limits bound what clients may ask for; zero is no limit beyond iperf3's own.
type Limits struct {
	Duration time.Duration // of a whole test, the omitted part included
	Streams  int           // in each direction
	Rate     int64         // bit/s of all streams together, in each direction
}

// A Visit is one client's test, or its attempt at one.
type Visit struct {
	Client   string // address
	Cookie   string // the client's name for the test: see Result.Cookie
	Test     Test   // zero if the parameters did not arrive; without any end, it lasted until the client ended it
	Start    time.Time
	Elapsed  time.Duration // of the measured part
	Sent     int64         // bytes by the server
	Received int64
	Streams  []StreamReport
	// Flows are the streams as the server's own sockets saw them; nil where
	// Server.SampleEvery is zero.
	Flows []Stream
	CPU   CPU // of this process, while the test ran
	// Err is why there was no test, or why it ended early; nil for a complete one.
	Err error
}

const (
	defaultQueueWait = time.Minute
	// rateSpan is the time over which a rate limit is averaged, as in iperf3.
	rateSpan = 5 * time.Second
	// serverTick is the time between two looks at a running test.
	serverTick = 250 * time.Millisecond
)

// What a client is refused for.
var (
	errToken    = errors.New("it sent no token, or a wrong one")
	errDuration = errors.New("it asks for a longer test than is allowed")
	errStreams  = errors.New("it asks for more streams than are allowed")
	errRate     = errors.New("it asks for a higher rate than is allowed")
)

// ListenAndServe listens on the TCP address, "host:port", and serves until ctx
// ends. UDP tests use the same port of the address at which their client
// reached the server.
func (s *Server) ListenAndServe(ctx context.Context, addr string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	return s.Serve(ctx, l)
}

// Serve serves the clients that connect to l until ctx ends, and returns nil
// then; a running test is ended. It closes l. A Server serves one listener at
// a time.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.turns.slot = make(chan struct{}, 1)
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var visitors sync.WaitGroup
	defer visitors.Wait()
	defer cancel()
	accepted := 0
	for backoff := time.Duration(0); ; {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if conn != nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept a client: %w", err)
		case err != nil: // out of descriptors, or a client that left already
			backoff = min(max(2*backoff, time.Millisecond), time.Second)
			time.Sleep(backoff)
			continue
		}
		backoff = 0
		accepted++
		number := accepted
		place := s.lobby.enter(origin(conn.RemoteAddr()), func() { conn.Close() })
		visitors.Go(func() {
			if s.meet(ctx, l, numbered{conn, number}, place) && s.OneOff {
				cancel()
			}
		})
	}
}

// A numbered connection knows the order in which it was accepted: which of a
// test's streams it is depends on it.
type numbered struct {
	net.Conn
	number int
}

// meet learns what a new connection is and serves it. It tells whether a test
// ran to its end.
func (s *Server) meet(ctx context.Context, l net.Listener, conn numbered, place *place) (ran bool) {
	defer place.leave()
	ctl := &control{conn: conn.Conn, timeout: s.timeout(), limit: time.Now().Add(s.timeout())}
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Now()) })
	id, err := ctl.receiveCookie()
	stop()
	if err != nil || ctx.Err() != nil {
		conn.Close()
		return false
	}
	if s.handOver(id, conn) {
		return false
	}
	defer conn.Close()
	s.watchOver(conn.Conn)
	v := &visit{
		server: s, listener: l, cookie: id, ctl: ctl, place: place,
		report: Visit{Client: conn.RemoteAddr().String(), Cookie: id.String()},
	}
	v.report.Err = v.run(ctx)
	if s.Report != nil && !errors.Is(v.report.Err, errStranger) {
		s.Report(v.report)
	}
	return v.traffic != nil && v.report.Err == nil
}

// watchOver notices a client that is gone without a word, as one whose address
// somebody else has now: UDP that it asked for must not go on to that one. A
// sender of UDP hears from its peer on the control connection only.
func (s *Server) watchOver(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	part := s.grace() / 4
	// Refused, the system's own times hold: Go's default is 15 s, nine times.
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: part, Interval: part, Count: 3})
}

// handOver gives a data connection to the test that it belongs to.
func (s *Server) handOver(id wire.Cookie, conn numbered) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current
	if v == nil || v.incoming == nil || host(conn.RemoteAddr()) != host(v.ctl.conn.RemoteAddr()) ||
		subtle.ConstantTimeCompare(id[:], v.cookie[:]) == 0 {
		return false
	}
	select {
	case v.incoming <- conn:
	default: // more than were asked for
		conn.Close()
	}
	return true
}

func (s *Server) setCurrent(v *visit) {
	s.mu.Lock()
	s.current = v
	s.mu.Unlock()
}

// allow checks a test against the limits. It returns iperf3's number for what
// is wrong.
func (s *Server) allow(p *wire.Params, t *Test) (code int, err error) {
	l := &s.Limits
	switch {
	case s.Token != "" && subtle.ConstantTimeCompare([]byte(s.Token), []byte(p.AuthToken)) == 0:
		return wire.CodeAuth, errToken
	case l.Duration > 0 && t.Duration+t.Omit > l.Duration:
		return wire.CodeMaxDuration, errDuration
	case l.Streams > 0 && t.Streams > l.Streams:
		return wire.CodeStreams, errStreams
	case l.Rate > 0 && t.Rate > l.Rate/int64(t.Streams):
		return wire.CodeTotalRate, errRate
	}
	return 0, nil
}

// expiry is when a test is over whatever its client says; nil is never. A test
// that has no duration, of so many bytes or until its client ends it, may run
// as long as any.
func (s *Server) expiry(t *Test) <-chan time.Time {
	switch limit := s.Limits.Duration; {
	case t.Duration > 0:
		return time.After(t.Omit + t.Duration + s.grace())
	case limit > 0:
		return time.After(limit)
	}
	return nil
}

// setUp is how long a client may take to open its streams, all of them. The
// more there are, the longer: each takes a round trip.
func (s *Server) setUp(streams int) time.Duration {
	return s.timeout() + time.Duration(streams)*s.timeout()/10
}

// grace is how long nothing may happen while a test runs, and how much longer
// than asked for it may take: a path with a large queue holds things up.
func (s *Server) grace() time.Duration { return 2 * s.timeout() }

func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

func (s *Server) queueWait() time.Duration {
	if s.QueueWait > 0 {
		return s.QueueWait
	}
	return defaultQueueWait
}
