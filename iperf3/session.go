package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"unchoke/iperf3/internal/wire"
)

// A session is the client's side of one test, from CREATE_STREAMS on. Its
// methods follow the order of the protocol.
type session struct {
	client  *Client
	ctl     *control
	cookie  wire.Cookie
	traffic *traffic
	watch   stopwatch
	done    bool // the server has been told that the test is over
	result  *Result
	warning sync.Mutex // of the result's warnings, while streams open at once
}

func (s *session) run(ctx context.Context) (*Result, error) {
	// A wait on the control connection ends when ctx does.
	defer context.AfterFunc(ctx, s.ctl.leave)()
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	heard := s.ctl.listen()
	err := s.measure(ctx, heard)
	s.summarise()
	if err == nil {
		err = s.exchange(heard)
	}
	return s.result, err
}

func (s *session) close() {
	if !s.done {
		s.ctl.leave()
	}
	s.ctl.conn.Close()
	if s.traffic != nil {
		s.traffic.close()
	}
}

// prepare opens the streams, up to TEST_RUNNING.
func (s *session) prepare(ctx context.Context) error {
	if s.client.Ready != nil {
		if err := s.client.Ready(ctx); err != nil {
			return err
		}
	}
	heard := s.ctl.listen()
	flows, err := s.openStreams(ctx, heard)
	s.traffic = newTraffic(s.result.Test, flows)
	s.traffic.rtt = s.ctl.rtt
	if err != nil {
		return err
	}
	if err := s.hear(heard, wire.TestStart); err != nil {
		if heard.heard {
			err = fmt.Errorf("%w (%w)", err, errBeforeStart)
		}
		return err
	}
	return s.ctl.expect(wire.TestRunning)
}

// hear waits for a state that listen was started for.
func (s *session) hear(heard *hearing, want wire.State) error {
	if !heard.within(s.client.timeout()) {
		return fmt.Errorf("wait for %v: %w: no answer", want, ErrVanished)
	}
	if heard.err != nil {
		return fmt.Errorf("wait for %v: %w", want, vanished(heard.err))
	}
	return s.ctl.verify(want, heard.state)
}

// explain prefers what the server says on the control connection to the error
// that followed from it.
func (s *session) explain(heard *hearing, err error) error {
	if !heard.within(explainWithin) {
		return err
	}
	if heard.err != nil {
		return vanished(heard.err)
	}
	if refusal := s.ctl.refusal(heard.state); refusal != nil {
		return refusal
	}
	return err
}

// explainWithin is how long a failed stream waits for the server's word.
const explainWithin = time.Second

// warn adds warnings to the result, each once.
func (s *session) warn(warnings ...string) {
	s.warning.Lock()
	defer s.warning.Unlock()
next:
	for _, w := range warnings {
		for _, had := range s.result.Warnings {
			if w == had {
				continue next
			}
		}
		s.result.Warnings = append(s.result.Warnings, w)
	}
}

// measure lets the data flow until the test is over or fails.
func (s *session) measure(ctx context.Context, heard *hearing) error {
	t, tr := &s.result.Test, s.traffic
	s.watch = startWatch()
	tr.limit = t.limit()
	if t.Duration > 0 {
		tr.deadline = t.Omit + t.Duration
	}
	progress := progressMeter{test: t, call: s.client.Progress, enough: s.client.Enough}
	if progress.call != nil {
		progress.call(Progress{Omitting: t.Omit > 0, Bytes: make([]int64, len(tr.flows))})
	}
	tr.run()
	s.result.Start = tr.start
	defer tr.stop()

	var omitted, over <-chan time.Time
	if t.Omit > 0 {
		omitted = time.After(t.Omit)
	} else {
		tr.endOmit()
	}
	if tr.deadline > 0 {
		over = time.After(tr.deadline)
	}
	tick := time.NewTicker(s.client.sampleEvery())
	defer tick.Stop()
	idle := idleMeter{limit: s.client.timeout()}

	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case heard.message = <-heard.c:
			heard.heard = true
			return s.interrupted(heard.message)
		case err := <-tr.failures:
			return s.explain(heard, vanished(err))
		case <-omitted:
			tr.endOmit()
		case <-over:
			s.end()
			return nil
		case <-tr.full:
			s.end()
			return nil
		case <-tick.C:
			bytes := tr.sample()
			now := tr.now()
			if progress.tick(Progress{Elapsed: now, Omitting: tr.omitting.Load(), Bytes: bytes}) {
				s.end()
				return nil
			}
			if tr.limit > 0 && idle.tick(now, bytes) {
				return fmt.Errorf("%w: nothing was transferred for %v", ErrVanished, s.client.timeout())
			}
		}
	}
}

// interrupted turns what the server says in the middle of a test into an error.
func (s *session) interrupted(m message) error {
	if m.err != nil {
		return vanished(m.err)
	}
	if err := s.ctl.refusal(m.state); err != nil {
		return err
	}
	return fmt.Errorf("%w: it sent %v in the middle of the test", ErrProtocol, m.state)
}

// end stops the measurement. Receivers go on draining meanwhile.
func (s *session) end() {
	s.traffic.stop()
	s.result.Local.CPU = s.watch.cpu()
}

// exchange tells the server that the test is over, swaps results with it and ends the
// visit. The client's own results follow TEST_END at once: a server reads them when it
// has answered with EXCHANGE_RESULTS, and the wait for that would be another round trip.
func (s *session) exchange(heard *hearing) error {
	if err := s.ctl.send(wire.TestEnd); err != nil {
		return vanished(err)
	}
	if err := s.ctl.sendJSON(s.result.Local.results()); err != nil {
		return fmt.Errorf("send the results: %w", vanished(err))
	}
	if err := s.hear(heard, wire.ExchangeResults); err != nil {
		return err
	}
	var remote wire.Results
	if err := s.ctl.receiveJSON(wire.MaxServerResults, &remote); err != nil {
		return fmt.Errorf("receive the results: %w", vanished(err))
	}
	s.result.Remote = reportOf(&remote)
	if s.result.Test.GetServerOutput { // others' tests can make a server send it unasked
		s.result.ServerOutputText, s.result.ServerOutputJSON = remote.OutputText, remote.OutputJSON
	}
	s.result.attach(s.result.Remote.Streams)
	s.checkCongestion()
	if err := s.ctl.expect(wire.DisplayResults); err != nil {
		return err
	}
	s.done = true
	if err := s.ctl.send(wire.IperfDone); err != nil && !errors.Is(err, net.ErrClosed) {
		return vanished(err)
	}
	return s.result.checkCounts()
}

// checkCounts looks for a UDP stream of which the server counted more packets than were
// sent. Sequence numbers are below what was sent, and openings have none: what it counted
// there came from another socket.
func (r *Result) checkCounts() error {
	for i := range r.Streams {
		s := &r.Streams[i]
		if r.Test.Protocol != UDP || !s.Sending || s.Remote == nil {
			continue
		}
		if counted := s.Remote.Packets + s.Remote.OmittedPackets; counted > s.Sent.Packets {
			return fmt.Errorf("%w: it counted %d packets of stream %d, of which %d were sent: it took another's datagrams for them",
				ErrVanished, counted, s.ID, s.Sent.Packets)
		}
	}
	return nil
}

// checkCongestion warns of a server that fell back silently.
func (s *session) checkCongestion() {
	t := &s.result.Test
	used := s.result.Remote.Congestion
	if t.Protocol == TCP && t.Congestion != "" && used != "" && used != t.Congestion && (t.Reverse || t.Bidirectional) {
		s.warn(fmt.Sprintf("the server does not offer %s: it sent with %s", t.Congestion, used))
	}
}

// summarise turns the flows' marks into the result's streams.
func (s *session) summarise() {
	r := s.result
	for _, f := range s.traffic.flows {
		stream := f.stream()
		r.Streams = append(r.Streams, stream)
		r.Elapsed = max(r.Elapsed, stream.End-stream.Start)
		if f.tcp != nil {
			r.Local.Congestion = f.tcp.Congestion()
		}
		if f.sending && stream.Retransmits >= 0 && f.tcp != nil {
			r.Local.HasRetransmits = true
		}
		r.Local.Streams = append(r.Local.Streams, f.report())
	}
}

// attach gives each stream the server's report on it.
func (r *Result) attach(reports []StreamReport) {
	for i := range r.Streams {
		for j := range reports {
			if reports[j].ID == r.Streams[i].ID {
				r.Streams[i].Remote = &reports[j]
			}
		}
	}
}

// A progressMeter passes on some of the ticks: those after a while, and the first after
// each slot's end.
type progressMeter struct {
	test   *Test
	call   func(Progress)
	enough func(Progress) bool
	last   time.Duration
	slots  int // that are over
}

// tick tells whether the test may end.
func (m *progressMeter) tick(p Progress) (enough bool) {
	ended := m.slots
	for m.slots < len(m.test.Slots) {
		if _, to, _ := m.test.slot(m.slots); p.Elapsed < to {
			break
		}
		m.slots++
	}
	if ended == m.slots && p.Elapsed-m.last < progressEvery {
		return false
	}
	m.last = p.Elapsed
	if m.call != nil {
		m.call(p)
	}
	return m.enough != nil && m.enough(p)
}

// An idleMeter tells when nothing has moved for too long.
type idleMeter struct {
	limit time.Duration
	since time.Duration
	total int64
}

func (m *idleMeter) tick(now time.Duration, bytes []int64) bool {
	var total int64
	for _, b := range bytes {
		total += b
	}
	if total != m.total {
		m.total, m.since = total, now
	}
	return now-m.since > m.limit
}
