package watch

import (
	"errors"
	"slices"
	"sort"
	"time"

	"unchoke/internal/flow/closely"
	"unchoke/internal/flow/lately"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/live"
	"unchoke/tcpinfo"
)

// closer looks many times a second at the connections that carry most. The kernel
// finds each by its ends, so that what this costs does not depend on how many
// connections there are.
type closer struct {
	at    []*entry
	due   time.Duration // when the next look is
	fails error         // why there is none
	spare []*entry      // memory
	info  tcpinfo.Info  // of the socket at hand
}

const (
	// closeEvery is how often: the figures of unchoke check --flow are of as many
	// looks (docs/flow.md).
	closeEvery = 20 * time.Millisecond
	// mostClosely is how many connections, of those that send and of those that
	// receive: forty looks take 0.3 ms of a core.
	mostClosely = 20
	// closeShare is the share of a core that this may take, on a host that is slow.
	closeShare = 0.05
	// leastSegments of data were sent or received lately: below, the first window
	// of a connection, nothing is told.
	leastClosely = 10
	// stays: a connection is given up only for one that carries so many times as
	// much.
	stays = 1.5
)

func (c *closer) idle() bool { return len(c.at) == 0 || c.fails != nil }

// choose picks those that carried most lately.
func (c *closer) choose(order []*entry) {
	before := c.at
	c.at = append(c.spare[:0], pick(order, true)...)
	c.at = append(c.at, pick(order, false)...)
	c.spare = before
	for _, e := range before {
		if !slices.Contains(c.at, e) {
			e.close, e.flow.Closely = nil, live.Closely{}
		}
	}
}

// pick is the busiest that send, or that receive.
func pick(order []*entry, sends bool) []*entry {
	carries := func(e *entry) float64 {
		rate, other, segments := e.flow.SentLately, e.flow.ReceivedLately, float64(e.flow.SegmentsLately)
		if !sends {
			rate, other = other, rate
			segments = rate * min(e.flow.Age, lately.Window/1000) / 8 / float64(max(e.flow.SegmentSize, 1))
		}
		switch {
		case e.flow.Closed || rate < other || rate == 0 || segments < leastClosely:
			return 0
		case e.close != nil && e.close.Sends() == sends:
			return stays * rate
		}
		return rate
	}
	var all []*entry
	for _, e := range order {
		if carries(e) > 0 {
			all = append(all, e)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return carries(all[i]) > carries(all[j]) })
	all = all[:min(len(all), mostClosely)]
	for _, e := range all {
		if e.close != nil && e.close.Sends() != sends {
			e.close, e.flow.Closely = nil, live.Closely{} // it has turned round
		}
	}
	return all
}

// tell fills in what the looks so far tell.
func (c *closer) tell() {
	for _, e := range c.at {
		if e.close != nil && !e.flow.Closed {
			e.close.Figures(&e.flow)
		}
	}
}

// lookClosely takes one look at each.
func (s *Sampler) lookClosely() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	begun := time.Since(s.begun)
	for _, e := range s.closer.at {
		if e.flow.Closed {
			continue
		}
		if err := s.lookAt(e); err != nil && !errors.Is(err, sockdiag.ErrGone) {
			s.closer.fails = err
			return
		}
	}
	took := time.Since(s.begun) - begun
	s.closer.due = begun + max(closeEvery, time.Duration(float64(took)/closeShare))
}

// lookAt takes one look at a connection.
func (s *Sampler) lookAt(e *entry) error {
	socket, err := s.dump.One(sockdiag.Key{Local: e.flow.Local, Remote: e.flow.Remote, Device: e.device, Cookie: e.cookie})
	if err != nil {
		return err
	}
	info := &s.closer.info
	if !socket.Info(info) {
		return sockdiag.ErrGone
	}
	l := lately.Look{
		At: time.Since(s.begun), Info: info,
		Queued: socket.Memory(sockdiag.MemoryToSend), SendBuffer: socket.Memory(sockdiag.SendBuffer),
	}
	if e.close == nil {
		sends := e.flow.SentLately >= e.flow.ReceivedLately
		e.close = closely.Begin(l, sends, e.flow.Whole && e.flow.Age < young)
		return nil
	}
	e.close.Add(l, socket.Waiting())
	return nil
}

// young: a connection that began within so many seconds is looked at closely from
// its beginning on.
const young = 2
