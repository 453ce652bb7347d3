package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sort"
	"time"

	"unchoke/iperf3/internal/link"
	"unchoke/iperf3/internal/wire"
)

// A visit is the server's side of one test. Its methods follow the order of
// the protocol.
type visit struct {
	server   *Server
	listener net.Listener
	ctl      *control
	place    *place // in the lobby, until the client is accepted
	cookie   wire.Cookie
	incoming chan numbered // TCP data connections; nil until they are expected
	test     Test
	heard    *hearing // what the client says next, from CREATE_STREAMS to TEST_END
	traffic  *traffic
	memory   memory // of samples
	watched  memory // of those that the server takes for itself
	watch    stopwatch
	results  wire.Results // this side's
	report   Visit
}

var (
	errClientLeft = errors.New("the client terminated the test")
	errExpired    = errors.New("the test took longer than allowed")
	errIdle       = errors.New("the client sent nothing for too long")
	errOverRate   = errors.New("the client sent faster than is allowed")
	errWindow     = errors.New("the system did not grant the window")
)

// errStranger is why a connection got nowhere that had not sent what would
// have made it a client.
var errStranger = errors.New("it sent no parameters")

// run serves the client until it is gone.
func (v *visit) run(ctx context.Context) error {
	s := v.server
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		_ = v.ctl.sendLast(wire.ServerTerminate) // the client may be gone already
		v.ctl.conn.Close()
	})
	defer func() {
		if !stop() {
			<-said // before the caller closes the connection
		}
	}()
	if s.turns.busy(s.Queue) {
		return v.deny(errBusy)
	}
	if err := v.agree(); err != nil {
		return err
	}
	if !v.place.leave() {
		return errStranger // it was evicted at the last moment
	}
	if err := s.turns.take(ctx, v.ctl, s.Queue, s.queueWait()); err != nil {
		return v.deny(err)
	}
	err := v.runTest(ctx)
	s.turns.release()
	if err == nil {
		// Only courtesy remains: some clients close without IPERF_DONE.
		_, _ = v.ctl.receive(s.timeout())
	}
	return err
}

// deny tells the client that the server is busy.
func (v *visit) deny(err error) error {
	_ = v.ctl.sendLast(wire.AccessDenied) // it may be gone already
	return err
}

// runTest runs the test of a client whose turn it is.
func (v *visit) runTest(ctx context.Context) error {
	s := v.server
	s.setCurrent(v)
	defer s.setCurrent(nil)
	defer v.close()
	if err := v.openStreams(); err != nil {
		return err
	}
	err := v.measure(ctx)
	v.summarise()
	if s.Observer != nil {
		s.Observer.End(v.report)
	}
	if err == nil {
		err = v.exchange()
	}
	return err
}

func (v *visit) close() {
	v.server.mu.Lock()
	incoming := v.incoming
	v.incoming = nil
	v.server.mu.Unlock()
	for range len(incoming) {
		(<-incoming).Close()
	}
	if v.traffic != nil {
		v.traffic.close()
	}
}

// agree gets the parameters and checks them.
func (v *visit) agree() error {
	if err := v.ctl.send(wire.ParamExchange); err != nil {
		return fmt.Errorf("%w: %w", errStranger, err)
	}
	var p wire.Params
	if err := v.ctl.receiveJSON(wire.MaxParams, &p); err != nil {
		_ = v.ctl.sendError(wire.CodeReceiveParams) // it may be gone
		return fmt.Errorf("%w: %w", errStranger, err)
	}
	t, err := testOf(&p)
	if err != nil {
		_ = v.ctl.sendError(wire.CodeReceiveParams)
		return fmt.Errorf("the parameters: %w", err)
	}
	v.report.Test = t
	if code, err := v.server.allow(&p, &t); err != nil {
		_ = v.ctl.sendError(code)
		return err
	}
	v.test = t
	if limit := v.server.Limits.Rate; limit > 0 && t.Rate == 0 && (t.Reverse || t.Bidirectional) {
		v.test.Rate = max(1, limit/int64(t.Streams)) // what this side sends keeps to the limit
	}
	return nil
}

// openStreams tells the client to connect and takes its connections, up to
// TEST_START.
func (v *visit) openStreams() error {
	directions := v.test.directions(serverRole)
	v.ctl.limit = time.Now().Add(v.server.setUp(len(directions)))
	if v.test.Protocol == UDP {
		return v.openUDP(directions)
	}
	incoming := make(chan numbered, len(directions))
	v.server.mu.Lock()
	v.incoming = incoming
	v.server.mu.Unlock()
	defer link.SetListenerMSS(v.listener, v.test.MSS)()
	if err := v.ctl.send(wire.CreateStreams); err != nil {
		return err
	}
	v.heard = v.ctl.listen()
	v.traffic = newTraffic(v.test, nil)
	var arrived []numbered
	for len(arrived) < len(directions) {
		conn, err := v.await(incoming)
		if err != nil {
			for _, conn := range arrived {
				conn.Close()
			}
			return fmt.Errorf("stream %d of %d: %w", len(arrived)+1, len(directions), err)
		}
		arrived = append(arrived, conn)
	}
	sort.SliceStable(arrived, func(i, j int) bool { return arrived[i].number < arrived[j].number })
	for n, conn := range arrived {
		f, err := v.adopt(conn.Conn, directions[n])
		if err != nil {
			for _, conn := range arrived[n:] {
				conn.Close()
			}
			code := wire.CodeCreateStream
			if errors.Is(err, errWindow) {
				code = wire.CodeSetBufferSmall
			}
			_ = v.ctl.sendError(code)
			return fmt.Errorf("stream %d: %w", streamID(n), err)
		}
		f.id = streamID(n)
		v.traffic.flows = append(v.traffic.flows, f)
	}
	return v.start()
}

// await waits for a data connection.
func (v *visit) await(incoming <-chan numbered) (numbered, error) {
	select {
	case conn := <-incoming:
		return conn, nil
	case m := <-v.heard.c:
		return numbered{}, v.departed(m)
	case <-time.After(time.Until(v.ctl.deadline(v.ctl.timeout))):
		_ = v.ctl.sendError(wire.CodeCreateStream)
		return numbered{}, errors.New("the client did not connect it")
	}
}

// adopt makes a flow of a data connection.
func (v *visit) adopt(conn net.Conn, sending bool) (*flow, error) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := errors.Join(tcp.SetNoDelay(v.test.NoDelay), tcp.SetKeepAlive(false), conn.SetDeadline(time.Time{})); err != nil {
			return nil, err
		}
		if raw, err := tcp.SyscallConn(); err == nil {
			// Of receivers, too: the algorithm in use is what the results tell.
			v.setOptions(raw, network(conn.RemoteAddr()), true)
		}
	}
	stream, err := link.NewTCP(conn)
	if err != nil {
		return nil, err
	}
	if got := stream.Buffer(sending); got > 0 && got < v.test.Window {
		stream.Close()
		return nil, fmt.Errorf("%w: %d bytes of %d", errWindow, got, v.test.Window)
	}
	return &flow{sending: sending, tcp: stream, baseline: wire.CookieSize}, nil
}

// start tells the client that all its streams are there and data may flow.
func (v *visit) start() error {
	if v.server.Observer != nil {
		v.server.Observer.Begin(v.report)
	}
	if v.heard.within(0) {
		return v.departed(v.heard.message)
	}
	if err := v.ctl.write([]byte{byte(wire.TestStart), byte(wire.TestRunning)}); err != nil {
		return err
	}
	v.report.Start = time.Now()
	return nil
}

// measure lets the data flow until the client ends the test.
func (v *visit) measure(ctx context.Context) error {
	s, t, tr := v.server, &v.test, v.traffic
	v.watch = startWatch()
	tr.run()
	v.report.Start = tr.start
	defer v.watchFlows()
	defer tr.stop()
	var sampling <-chan time.Time
	if s.SampleEvery > 0 {
		fine := time.NewTicker(s.SampleEvery)
		defer fine.Stop()
		sampling = fine.C
	}
	var omitted <-chan time.Time
	if t.Omit > 0 {
		omitted = time.After(t.Omit)
	} else {
		tr.endOmit()
	}
	expired := s.expiry(t)
	tick := time.NewTicker(serverTick)
	defer tick.Stop()
	idle := idleMeter{limit: s.grace()}
	rate := rateMeter{limit: s.Limits.Rate}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m := <-v.heard.c:
			if m.err == nil && m.state == wire.TestEnd {
				return nil
			}
			return v.departed(m)
		case <-omitted:
			tr.endOmit()
		case <-expired:
			// The error number for it is new in 3.16; every client knows this state.
			_ = v.ctl.sendLast(wire.ServerTerminate)
			return errExpired
		case <-tr.failures:
			// The client closed a stream. It says on the control connection
			// why, or closes that, too; else the idle limit ends the test.
		case <-sampling:
			v.watchFlows()
		case <-tick.C:
			if s.Observer != nil {
				s.Observer.Tick()
			}
			now := tr.now()
			bytes := v.look()
			if idle.tick(now, bytes) {
				_ = v.ctl.sendError(wire.CodeNoMessage)
				return errIdle
			}
			if rate.tick(now, v.receivedBytes()) {
				_ = v.ctl.sendError(wire.CodeTotalRate)
				return errOverRate
			}
		}
	}
}

// look returns the bytes of each flow, and samples them where the client wants
// to know what the server saw.
func (v *visit) look() []int64 {
	if v.test.GetServerOutput && v.memory.wants() {
		bytes := v.traffic.sample()
		v.memory.thin(v.traffic.flows)
		return bytes
	}
	bytes := make([]int64, len(v.traffic.flows))
	for i, f := range v.traffic.flows {
		bytes[i] = f.bytes.Load()
	}
	return bytes
}

func (v *visit) receivedBytes() (n int64) {
	for _, f := range v.traffic.flows {
		if !f.sending {
			n += f.bytes.Load()
		}
	}
	return n
}

// departed turns a state, or the end of the control connection, into the
// reason for which the test ends early.
func (v *visit) departed(m message) error {
	switch {
	case m.err != nil:
		return fmt.Errorf("the client is gone: %w", m.err)
	case m.state == wire.ClientTerminate:
		return errClientLeft
	}
	_ = v.ctl.sendError(wire.CodeMessage)
	return fmt.Errorf("%w: it sent %v", ErrProtocol, m.state)
}

// exchange swaps results with the client.
func (v *visit) exchange() error {
	v.ctl.limit = time.Now().Add(v.ctl.timeout)
	if err := v.ctl.send(wire.ExchangeResults); err != nil {
		return err
	}
	var theirs wire.Results
	if err := v.ctl.receiveJSON(wire.MaxClientResults, &theirs); err != nil {
		_ = v.ctl.sendError(wire.CodeReceiveResults)
		return fmt.Errorf("receive the client's results: %w", err)
	}
	if err := v.ctl.sendJSON(v.results); err != nil {
		return fmt.Errorf("send the results: %w", err)
	}
	return v.ctl.send(wire.DisplayResults)
}

// summarise fills in the results and the report of the visit, and closes the
// streams. They must be closed before EXCHANGE_RESULTS: a stock client that
// receives blocks in its last read until they are.
func (v *visit) summarise() {
	own := Report{CPU: v.watch.cpu()}
	for _, f := range v.traffic.flows {
		r := f.report()
		own.Streams = append(own.Streams, r)
		if f.tcp != nil {
			own.Congestion = f.tcp.Congestion()
			own.HasRetransmits = own.HasRetransmits || r.Retransmits >= 0
		}
		v.report.Elapsed = max(v.report.Elapsed, r.End)
		if f.sending {
			v.report.Sent += r.Bytes
		} else {
			v.report.Received += r.Bytes
		}
	}
	if v.server.SampleEvery > 0 {
		for _, f := range v.traffic.flows {
			s := f.stream()
			s.Samples = f.watched
			v.report.Flows = append(v.report.Flows, s)
		}
	}
	v.traffic.close()
	v.report.Streams, v.report.CPU = own.Streams, own.CPU
	v.results = own.results()
	if v.test.GetServerOutput {
		v.results.OutputJSON = v.output()
	}
}

// A rateMeter tells when the average over rateSpan exceeds a limit.
type rateMeter struct {
	limit int64 // bit/s; 0 is none
	marks []rateMark
}

type rateMark struct {
	at    time.Duration
	bytes int64
}

func (m *rateMeter) tick(now time.Duration, bytes int64) bool {
	if m.limit == 0 {
		return false
	}
	m.marks = append(m.marks, rateMark{now, bytes})
	first := m.marks[0]
	if now-first.at < rateSpan {
		return false
	}
	m.marks = m.marks[1:]
	return float64(bytes-first.bytes)*8 > float64(m.limit)*(now-first.at).Seconds()
}

// host is the address without the port, and without the difference between an
// IPv4 address and its form in IPv6.
func host(a net.Addr) netip.Addr {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// network names the family of an address as package net's dialers do.
func network(a net.Addr) string {
	if host(a).Is4() {
		return "tcp4"
	}
	return "tcp6"
}
