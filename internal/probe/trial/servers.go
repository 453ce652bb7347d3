package trial

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// servers are the iperf3 servers of a comparison, and what each must be made
// to forget when it is over.
type servers struct {
	client iperf3.Client
	near   record.Host

	mu     sync.Mutex
	named  map[netip.AddrPort]bool // those that were asked for a congestion control
	served map[netip.AddrPort]bool // those that have run a test
}

func newServers(o Options) *servers {
	return &servers{
		client: iperf3.Client{BusyWait: o.Wait, Token: o.Token, Dial: o.Dial},
		near:   o.Near,
		named:  map[netip.AddrPort]bool{},
		served: map[netip.AddrPort]bool{},
	}
}

// run runs one test.
func (s *servers) run(ctx context.Context, at netip.AddrPort, t iperf3.Test) (*iperf3.Result, error) {
	if t.Reverse && t.Congestion != "" {
		s.mu.Lock()
		s.named[at] = true
		s.mu.Unlock()
	}
	r, err := s.client.Run(ctx, at.String(), t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.served[at] = true
	} else if s.served[at] && errors.Is(err, iperf3.ErrRefused) {
		err = &goneError{err}
	}
	return r, err
}

// goneError is a server that ran one test and is not there for the next.
type goneError struct{ error }

func (e *goneError) Unwrap() error { return e.error }

// Hint says what to do next.
func (e *goneError) Hint() string {
	return "the server has ended since its last test: start one that stays, `iperf3 -s` without -1"
}

// least is the smallest test there is: it tells which congestion control a
// server uses, and makes it forget an earlier one.
var least = iperf3.Test{Bytes: 1000}

// farewell bounds the time in which one server is made to forget.
const farewell = 5 * time.Second

// reset runs a test without a congestion control on every server that was
// asked for one: before 3.19 an iperf3 server keeps the last one for whoever
// comes next and names none.
func (s *servers) reset(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failed error
	for at := range s.named {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		client := s.client
		client.Timeout, client.BusyWait = farewell, farewell
		_, err := client.Run(ctx, at.String(), least)
		cancel()
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the server at %v may keep the congestion control of the last trial for others' tests, if it is older than iperf 3.19: restart it (%w)", at, err))
			continue
		}
		delete(s.named, at)
	}
	return failed
}

// offers asks with which of the common congestion controls the server can
// send. The first is its default; where not even that works, the error says
// why.
func (s *servers) offers(ctx context.Context, at netip.AddrPort) ([]string, error) {
	var names []string
	for _, name := range []string{"", "cubic", "reno", "bbr"} {
		test := least
		test.Reverse, test.Congestion = true, name
		r, err := s.run(ctx, at, test)
		if err != nil && name == "" {
			return nil, err
		}
		if err == nil && (name == "" || r.Remote.Congestion == name) && !slices.Contains(names, r.Remote.Congestion) {
			names = append(names, r.Remote.Congestion)
		}
	}
	return names, nil
}
