package session

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/linux/netstat"
	"unchoke/internal/probe"
	"unchoke/internal/probe/load"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// server is the session's iperf3 server, and what it saw of its tests.
type server struct {
	listener *joined
	began    time.Time // of the session

	mu        sync.Mutex
	host      *load.Host
	client    string // address of the last test's
	sides     []Side
	kept      int // samples in sides
	forgotten int

	// Of the test that runs.
	counters netstat.Counters
	queues   *load.Egress
	work     *load.Transfer
	sockets  *load.Sockets
}

// What a session's clients may ask for, and what is remembered of them until the
// near end asks.
const (
	longestTest = 2 * time.Minute
	mostStreams = 128
	mostSides   = 64
	mostSamples = 100_000 // some 40 MB
	sampleEvery = 20 * time.Millisecond
)

// serve starts the server.
func (s *far) serve(q Serve) (Serving, error) {
	if len(q.Token) < 16 || len(q.Token) > 256 {
		return Serving{}, fmt.Errorf("serve: a token has 16 to 256 bytes")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return Serving{}, fmt.Errorf("serve: the session has a server already")
	}
	listen := q.Listen
	if listen == "" {
		listen = ":0"
	}
	l, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", listen)
	if err != nil {
		return Serving{}, fmt.Errorf("serve: listen on %s: %w", listen, err)
	}
	s.server = &server{listener: join(l.(*net.TCPListener)), began: s.began, host: load.New("")}
	if s.follow != nil {
		s.server.host = s.follow.host
	}
	iperf := &iperf3.Server{
		Limits: iperf3.Limits{Duration: longestTest, Streams: mostStreams}, Queue: 2,
		Token: q.Token, SampleEvery: sampleEvery, Observer: s.server,
	}
	s.busy.Go(func() { _ = iperf.Serve(s.ctx, s.server.listener) }) // it ends with the session
	return Serving{Port: l.Addr().(*net.TCPAddr).Port}, nil
}

// Begin implements iperf3.Observer.
func (s *server) Begin(iperf3.Visit) {
	s.mu.Lock()
	host := s.host
	s.mu.Unlock()
	s.counters, s.queues = netstat.TCPExt(), load.WatchEgress()
	s.work, s.sockets = host.Begin(), host.BeginSockets()
}

// Tick implements iperf3.Observer.
func (s *server) Tick() {
	s.queues.Look()
	s.work.Look()
}

// End implements iperf3.Observer.
func (s *server) End(v iperf3.Visit) {
	s.queues.Look()
	s.work.End()
	t := transferOf(v)
	t.Started = v.Start.Sub(s.began).Seconds()
	t.Egress = s.queues.Use(v.Start, v.Start.Add(v.Elapsed))
	t.CPU, t.UDPDrops = s.work.CPU(v.Start, v.Elapsed), s.sockets.End()
	t.Counters = netstat.Since(s.counters, netstat.TCPExt())
	samples := 0
	for _, series := range t.Series {
		samples += len(series.Samples)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if host, _, err := net.SplitHostPort(v.Client); err == nil {
		s.client = host
	}
	if len(s.sides) >= mostSides || s.kept+samples > mostSamples {
		s.forgotten++
		return
	}
	s.kept += samples
	s.sides = append(s.sides, Side{Cookie: v.Cookie, Transfer: t})
}

// transferOf is a test as this end saw it.
func transferOf(v iperf3.Visit) record.Transfer {
	t := record.Transfer{
		Direction: record.Up, Protocol: record.Protocol(v.Test.Protocol), Streams: len(v.Flows),
		Duration: v.Elapsed.Seconds(), Retransmits: -1, CPUNear: v.CPU.Total, Intervals: []record.Interval{},
	}
	if v.Test.Reverse {
		t.Direction = record.Down
	}
	if t.Protocol != record.TCP {
		return t
	}
	for _, f := range v.Flows {
		t.Series = append(t.Series, probe.SeriesOf(f))
		if f.Retransmits >= 0 {
			t.Retransmits = max(t.Retransmits, 0) + f.Retransmits
		}
		if f.Sending || t.CC == "" {
			t.CC = f.Congestion
		}
	}
	t.Intervals = flow.Intervals(t.Series, t.Duration, flow.Slices)
	t.Rate, t.SteadyRate = t.Goodput(0, 1), flow.Steady(&t)
	return t
}

// take hands over what was remembered.
func (s *server) take() (sides []Side, forgotten int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sides, forgotten = s.sides, s.forgotten
	s.sides, s.kept, s.forgotten = nil, 0, 0
	return sides, forgotten
}

// sides answers Sides.
func (s *far) sides(ctx context.Context) Sides {
	s.mu.Lock()
	server, follow := s.server, s.follow
	s.mu.Unlock()
	out := Sides{Sides: []Side{}}
	if server != nil {
		if sides, forgotten := server.take(); sides != nil {
			out.Sides, out.Forgotten = sides, forgotten
		}
	}
	if follow != nil {
		out.Tunnel = follow.tunnel(ctx)
	}
	return out
}
