// Package rollout has the use cases of many hosts: check them, change them in
// batches, ask each what stands there.
package rollout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/fleet"
)

// Bounds of what one host is waited for.
const (
	// stepTime is of one step that changes or asks: a login, at worst with a
	// program to be delivered over a slow line, and a verb of tune.
	stepTime = 3 * time.Minute
	// timerSlack is how much later than its deadline a host's timer may act.
	timerSlack = 10 * time.Second
)

// DefaultParallel is how many hosts are worked at side by side: as many as a
// usual sshd lets begin at once (MaxStartups 10:30:100).
const DefaultParallel = 10

// Request asks for a rollout to be carried out, or to go on.
type Request struct {
	Rollout *fleet.Rollout
	// Host opens a host; Measure makes the settings' measurements of its path.
	Host    func(*fleet.Entry) fleet.Host
	Measure func(ctx context.Context, e *fleet.Entry, progress request.Progress) (fleet.Rates, error)
	// Save keeps the rollout, before each effect and after it.
	Save     func(*fleet.Rollout) error
	Parallel int
	// Preflight ends after the look at all hosts: nothing is touched.
	Preflight bool
	Progress  request.Progress
	// Tell hears of each step that has ended.
	Tell func(fleet.Event)

	Now  func() time.Time
	Wait func(context.Context, time.Duration) // for a host's own timer
}

// roller carries out a rollout: decisions are the rollout's, effects are here.
type roller struct {
	Request
	hosts   map[string]fleet.Host
	busy    map[string]fleet.Test // measurements that run, by host
	running int
	done    chan fleet.Event
	unsaved error
}

// Roll carries out a rollout until it has ended or halted: what came of it is
// in the rollout. Where ctx ends, the batch under way is taken back first. The
// error is of the rollout's file.
func Roll(ctx context.Context, q Request) error {
	r := &roller{Request: q, hosts: map[string]fleet.Host{}, busy: map[string]fleet.Test{}, done: make(chan fleet.Event)}
	defer func() {
		for _, h := range r.hosts {
			h.Close()
		}
	}()
	interrupted := ctx.Done()
	for {
		r.start(ctx)
		if r.running == 0 {
			if !r.late(ctx) {
				break
			}
			continue
		}
		select {
		case v := <-r.done:
			r.running--
			delete(r.busy, v.Host)
			r.Rollout.After(v)
			r.save()
			if r.Tell != nil {
				r.Tell(v)
			}
			r.tell()
		case <-interrupted:
			interrupted = nil
			r.Rollout.Interrupt()
			r.save()
		}
	}
	return r.unsaved
}

// start begins the steps that may be made now.
func (r *roller) start(ctx context.Context) {
	for _, s := range r.Rollout.Next() {
		if r.running >= max(1, r.Parallel) || r.Preflight && s.Do != fleet.Look {
			return
		}
		e := r.entry(s.Host)
		if s.Do == fleet.Measure && !r.occupy(e) {
			continue // after those that share something with it
		}
		r.Rollout.Begin(s, r.Now())
		r.save()
		if r.unsaved != nil && (s.Do == fleet.Try || s.Do == fleet.Keep) {
			// What is not written down beforehand is not done.
			r.Rollout.After(fleet.Event{Step: s, Err: fmt.Errorf("%w: %w", fleet.ErrRefused, r.unsaved)})
			continue
		}
		r.running++
		host, entry, order := r.host(e), *e, r.Rollout.Order(e)
		go func() { r.done <- r.step(ctx, s, host, &entry, order) }()
	}
}

// occupy takes what a measurement of the host needs; false where another one has
// a part of it.
func (r *roller) occupy(e *fleet.Entry) bool {
	test := fleet.Test{Uses: append([]string{thisHost, e.Host}, e.At.Lines()...)}
	tests := append(slices.Collect(maps.Values(r.busy)), test)
	if len(fleet.Schedule(tests)) > 1 {
		return false
	}
	r.busy[e.Host] = test
	return true
}

// thisHost is an end of all measurements of a star.
const thisHost = "this host"

func (r *roller) entry(host string) *fleet.Entry {
	for _, e := range r.Rollout.Entries {
		if e.Host == host {
			return e
		}
	}
	return nil
}

func (r *roller) host(e *fleet.Entry) fleet.Host {
	if r.hosts[e.Host] == nil {
		r.hosts[e.Host] = r.Host(e)
	}
	return r.hosts[e.Host]
}

// step does one step. An interruption ends what only reads and measures; what
// changes a host comes to its end.
func (r *roller) step(ctx context.Context, s fleet.Step, h fleet.Host, e *fleet.Entry, o fleet.Order) fleet.Event {
	v := fleet.Event{Step: s}
	if s.Do == fleet.Measure {
		rates, err := r.Measure(ctx, e, func(_ float64, what string) {})
		if len(rates.Down)+len(rates.Up) > 0 {
			v.Rates = &rates
		}
		if v.Err = err; err == nil && v.Rates == nil {
			v.Err = errors.New("nothing was measured")
		}
		return v
	}
	if s.Do != fleet.Look {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	switch s.Do {
	case fleet.Look:
		v.Err = r.look(ctx, h, o, &v)
		h.Renew()
	case fleet.Try:
		v.Outcome, v.Err = pointer(h.Try(ctx, *e.Plan, time.Duration(r.Rollout.Settings.Timeout*float64(time.Second))))
	case fleet.Verify:
		h.Renew() // whether a new connection opens is part of the trial
		v.Verification, v.Err = pointer(h.Verify(ctx))
	case fleet.Confirm:
		v.Err = h.Confirm(ctx, e.Token())
		h.Renew()
	case fleet.Keep:
		v.Outcome, v.Err = pointer(h.Keep(ctx, o))
		h.Renew()
	case fleet.Revert:
		h.Renew()
		v.Outcome, v.Err = pointer(h.Revert(ctx))
		h.Renew()
	case fleet.Inspect:
		h.Renew()
		v.Status, v.Err = pointer(h.Status(ctx))
		h.Renew()
	}
	return v
}

func (r *roller) look(ctx context.Context, h fleet.Host, o fleet.Order, v *fleet.Event) error {
	facts, err := h.Look(ctx)
	if err != nil {
		return err
	}
	plan, err := h.Plan(ctx, o)
	v.Facts, v.Plan = &facts, &plan
	return err
}

func pointer[T any](value T, err error) (*T, error) { return &value, err }

// late waits for the timers of hosts that were touched and do not answer, and has
// them asked again; false where there is nothing to wait for.
func (r *roller) late(ctx context.Context) bool {
	if r.Rollout.Halt == nil || ctx.Err() != nil || r.unsaved != nil {
		return false
	}
	next := r.Rollout.Late(r.Now().Add(-timerSlack))
	if len(r.Rollout.Next()) > 0 {
		return true
	}
	if next.IsZero() {
		return false
	}
	r.Progress.OrNone()(r.share(), "wait for the timer of a host that does not answer")
	r.Wait(ctx, next.Add(timerSlack).Sub(r.Now())+time.Second)
	return ctx.Err() == nil
}

func (r *roller) save() {
	if r.Save == nil {
		return
	}
	if err := r.Save(r.Rollout); err != nil && r.unsaved == nil {
		r.unsaved = err
	}
}

// share is how much of the work is done, by hosts that need no more.
func (r *roller) share() float64 {
	n := 0.0
	for _, e := range r.Rollout.Entries {
		n += e.Share()
	}
	return n / float64(len(r.Rollout.Entries))
}

func (r *roller) tell() {
	what := "look at the hosts"
	if n := len(r.Rollout.Batches); r.Rollout.Begun && n > 0 {
		what = fmt.Sprintf("batch %d of %d", r.Rollout.Batch+1, n)
	}
	if r.Rollout.Halt != nil {
		what = "halted: take the batch back"
	}
	r.Progress.OrNone()(r.share(), what)
}

// WaitFor waits for a time, or until ctx ends.
func WaitFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
