package iperf3

import (
	"context"
	"fmt"
	"math"
	"net"
	"sort"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
)

const (
	// firstHelloWait is the least wait for the answer to a first opening,
	// mostHelloWait the longest.
	firstHelloWait = 250 * time.Millisecond
	mostHelloWait  = helloLimit / 2
	// helloTries for one stream before the next one is tried: so many lost in a
	// row mean that something else is wrong.
	helloTries = 4
	// helloLimit is how long no reply at all is borne.
	helloLimit = 5 * time.Second
)

// firstWait is the wait for the answer to a first opening, on a path of that round-trip
// time: an opening is not to be repeated while its answer is still under way.
func (c *Client) firstWait(rtt time.Duration) time.Duration {
	least := c.helloWait
	if least == 0 {
		least = firstHelloWait
	}
	return min(max(least, rtt*3/2), mostHelloWait)
}

// A greeting opens the UDP streams of a test, one after the other as stock servers need
// it. A lost reply cannot be told from a lost opening, and is not repeated by a stock
// server. So after some attempts the next stream is tried, and TEST_START means that the
// server has them all.
type greeting struct {
	streams []*greeted
	heard   *hearing
	wait    time.Duration // for the answer to a first opening, and twice as long each time that it is repeated
	limit   time.Duration // how long no reply at all is borne
	again   []byte        // a repeated opening

	rounds    int       // streams greeted so far, each as often as it was
	lastReply time.Time // or the beginning, while there is none
	replied   bool
}

// greeted is a stream that is being opened.
type greeted struct {
	net.Conn
	sending  bool // as its socket is set up
	answered bool
	round    int // in which the server took it, as far as can be told
}

// untried is the round of a stream whose turn has not come.
const untried = math.MaxInt

// add adds a stream, the last one to be greeted.
func (g *greeting) add(conn net.Conn, sending bool) {
	g.streams = append(g.streams, &greeted{Conn: conn, sending: sending, round: untried})
}

// run greets the streams until each has been answered or the server goes on, and sorts
// them by the order in which the server took them, as far as can be told: their numbers
// follow from it.
//
// A stream without an answer counts as taken when it was greeted first: one lost reply is
// likelier than several lost openings. But if the server goes on when a stream was just
// greeted again, that one was the last.
func (g *greeting) run(ctx context.Context) error {
	g.lastReply = time.Now()
	defer func() {
		sort.SliceStable(g.streams, func(i, j int) bool { return g.streams[i].round < g.streams[j].round })
	}()
	for g.silent() > 0 {
		for _, s := range g.streams {
			if s.answered {
				continue
			}
			if err := g.greet(ctx, s); err != nil {
				return err
			}
			if g.wentOn(s) {
				return nil
			}
			if !g.replied && g.tooLong() {
				return g.blocked()
			}
		}
		if g.silent() > 0 && g.tooLong() {
			return g.blocked()
		}
	}
	return nil
}

// greet opens one stream, trying some times. While no stream has had an answer, those
// after the first are tried once: where only answers are lost, the server has them all
// before the limit.
func (g *greeting) greet(ctx context.Context, s *greeted) error {
	hello, tries := datagram.Hello(), helloTries
	if s.round != untried {
		if err := g.await(ctx, s, time.Now().Add(lateReplyWait)); err != nil || s.answered {
			return err // the answer came after its round
		}
		hello = g.again
	}
	if g.rounds > 0 && !g.replied {
		tries = 1
	}
	g.rounds++
	s.round = min(s.round, g.rounds)
	for wait := g.wait; tries > 0; tries-- {
		if _, err := s.Write(hello); err != nil && !link.IsRefused(err) {
			return fmt.Errorf("open a UDP stream: %w", err)
		}
		hello = g.again
		until := time.Now().Add(wait)
		if limit := g.lastReply.Add(g.limit); !g.replied && limit.Before(until) {
			until = limit
		}
		if err := g.await(ctx, s, until); err != nil {
			return err
		}
		if s.answered {
			s.round = g.rounds
			return nil
		}
		if g.heard.within(0) || !g.replied && g.tooLong() {
			return nil
		}
		wait *= 2
	}
	return nil
}

// lateReplyWait is enough to read what is there, also on a busy host.
const lateReplyWait = 50 * time.Millisecond

// await waits for the answer to a stream.
func (g *greeting) await(ctx context.Context, s *greeted, until time.Time) error {
	if err := s.SetReadDeadline(until); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = s.SetReadDeadline(time.Unix(1, 0)) })()
	buf := make([]byte, 16)
	for ctx.Err() == nil && time.Now().Before(until) {
		n, err := s.Read(buf)
		if err == nil && datagram.IsReply(buf[:n]) {
			s.answered, g.replied, g.lastReply = true, true, time.Now()
			return nil
		}
		if link.IsRefused(err) { // a firewall, or a server between two sockets
			if g.heard.within(time.Until(until)) {
				return nil
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// wentOn tells whether the server did, after a stream was greeted: it sent TEST_START, or
// the reason why not. It sends that just after its last reply. So where a reply may have
// been the last, the word is waited for before another stream is greeted again.
func (g *greeting) wentOn(s *greeted) bool {
	var patience time.Duration
	if s.answered && g.silent() > 0 && g.streams[len(g.streams)-1].round != untried {
		patience = g.wait
	}
	if !g.heard.within(patience) {
		return false
	}
	if !s.answered {
		s.round = g.rounds
	}
	return true
}

// silent counts the streams without an answer.
func (g *greeting) silent() (n int) {
	for _, s := range g.streams {
		if !s.answered {
			n++
		}
	}
	return n
}

func (g *greeting) tooLong() bool { return time.Since(g.lastReply) >= g.limit }

func (g *greeting) blocked() error {
	return fmt.Errorf("open %d of %d streams: %w", g.silent(), len(g.streams), ErrUDPBlocked)
}
