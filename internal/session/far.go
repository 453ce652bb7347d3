package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"unchoke/internal/audit"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/iperf3"
)

// Far is the far end of a session. What the package cannot do by itself is given
// by functions; a nil one is not offered.
type Far struct {
	Version string // of unchoke
	// Check makes a check from this host.
	Check func(ctx context.Context, q Check, progress func(share float64, what string)) (*record.Run, error)
	// Tune runs a verb of tune.
	Tune func(ctx context.Context, t Tune) (Tuned, error)

	lease time.Duration // remote.Lease when zero
}

// far is one session of it.
type far struct {
	Far
	ctx   context.Context
	end   context.CancelFunc
	out   out
	began time.Time
	busy  sync.WaitGroup

	mu      sync.Mutex
	running map[uint64]context.CancelFunc
	server  *server
	dialed  map[string]net.Addr // where connections of this session to the near end lead, by their end here
	follow  *follower
}

// Run speaks with the near end until it is done: nil where the near end asked
// for it or its input ended, an error where the lease ran out or the line broke.
func (f Far) Run(ctx context.Context, r io.Reader, w io.Writer) error {
	if f.lease == 0 {
		f.lease = remote.Lease
	}
	defer iperf3.TwoProcessors()() // else its UDP waits for what the session does, and leaves in bunches
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &far{Far: f, ctx: ctx, end: end, out: out{w: w}, began: time.Now(), running: map[uint64]context.CancelFunc{}, dialed: map[string]net.Addr{}}
	defer s.busy.Wait()
	defer end()
	if err := s.out.send(s.hello()); err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	requests, ended := make(chan request), make(chan error, 1)
	go func() { ended <- s.read(r, requests) }()
	lease := time.NewTimer(f.lease)
	defer lease.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-lease.C:
			return fmt.Errorf("nothing was heard of the near end for %v: the session is over", f.lease)
		case err := <-ended:
			return err
		case q := <-requests:
			lease.Reset(f.lease)
			if q.Do == DoEnd {
				return s.out.send(reply{ID: q.ID, Result: json.RawMessage("{}")})
			}
			s.start(q)
		}
	}
}

// read passes on what comes, until it ends.
func (s *far) read(r io.Reader, requests chan<- request) error {
	in := newLines(r)
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		var q request
		if err := decode(line, &q); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		select {
		case requests <- q:
		case <-s.ctx.Done():
			return nil
		}
	}
}

// start begins to work at a request.
func (s *far) start(q request) {
	switch q.Do {
	case DoPing:
		go func() { _ = s.out.send(reply{ID: q.ID, Result: json.RawMessage("{}")}) }()
		return
	case DoCancel:
		s.mu.Lock()
		cancel := s.running[q.ID]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	full := len(s.running) >= maxBusy || s.running[q.ID] != nil
	if !full {
		s.running[q.ID] = cancel
	}
	s.mu.Unlock()
	if full {
		cancel()
		s.fail(q.ID, errors.New("too much is asked at once"))
		return
	}
	s.busy.Go(func() {
		defer func() {
			cancel()
			s.mu.Lock()
			delete(s.running, q.ID)
			s.mu.Unlock()
		}()
		result, err := s.do(ctx, q)
		if err == nil {
			err = s.out.answer(q.ID, result)
		}
		if err != nil {
			s.fail(q.ID, err)
		}
	})
}

// do works at a request.
func (s *far) do(ctx context.Context, q request) (any, error) {
	switch {
	case q.Do == DoServe:
		return with(q, s.serve)
	case q.Do == DoDial:
		return with(q, func(d Dial) (Dialed, error) { return s.dial(ctx, d) })
	case q.Do == DoSend:
		return with(q, func(m Send) (struct{}, error) { return struct{}{}, s.send(m) })
	case q.Do == DoAudit:
		return with(q, func(a Audit) (Audited, error) { return s.audit(ctx, a) })
	case q.Do == DoSides:
		return s.sides(ctx), nil
	case q.Do == DoCheck && s.Check != nil:
		return with(q, func(c Check) (checked, error) {
			run, err := s.Check(ctx, c, func(share float64, what string) {
				_ = s.out.send(reply{ID: q.ID, Progress: &progress{share, what}}) // the answer tells
			})
			return checked{run, failureOf(err)}, nil
		})
	case q.Do == DoTune && s.Tune != nil:
		return with(q, func(t Tune) (Tuned, error) { return s.Tune(ctx, t) })
	}
	return nil, fmt.Errorf("this unchoke (%s) does not know the request %.40q", s.Version, q.Do)
}

func with[Q, A any](q request, f func(Q) (A, error)) (any, error) {
	var asked Q
	if err := decode(q.With, &asked); err != nil {
		return nil, err
	}
	return f(asked)
}

func (s *far) fail(id uint64, err error) {
	_ = s.out.send(reply{ID: id, Error: failureOf(err)}) // a closed line ends the session by itself
}

// failureOf is an error with its next step; nil for none.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{Message: err.Error(), Hint: hint.Of(err)}
}

func (s *far) hello() Hello {
	h := Hello{
		Schema: Schema, Version: s.Version, OS: runtime.GOOS, Arch: runtime.GOARCH, PID: os.Getpid(),
		Does:  []string{DoPing, DoServe, DoDial, DoSend, DoAudit, DoSides, DoCancel, DoEnd},
		Login: os.Getenv("SSH_CONNECTION"), Root: os.Geteuid() == 0, Addresses: addresses(),
	}
	if s.Check != nil {
		h.Does = append(h.Does, DoCheck)
	}
	if s.Tune != nil {
		h.Does = append(h.Does, DoTune)
	}
	h.Host, h.Warnings = audit.Host()
	return h
}

// addresses are this host's own that another can reach.
func addresses() []string {
	out := []string{}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return out
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out
}

// nearAddress is the near end's by the SSH login; empty without one.
func nearAddress() string {
	address, _, _ := strings.Cut(os.Getenv("SSH_CONNECTION"), " ")
	return address
}
