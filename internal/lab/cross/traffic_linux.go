package cross

import (
	"errors"
	"fmt"
	"time"

	"unchoke/internal/lab/network"
	"unchoke/internal/path"
)

// Traffic is the other traffic of a running network. Its states:
//
//	as at zero  from Start on: what is there at the path's time zero runs
//	following   from Begin on, where the path has a schedule
//	ended       by End
type Traffic struct {
	path     path.Path
	up, down way
	port     int // of the next load

	ended    chan struct{}
	followed chan error // of the schedule; nil while it is not followed
}

// way is one direction.
type way struct {
	name     string
	from, to *network.Host
	running  []*load
}

// load is a part that runs.
type load struct {
	kind path.Load
	end  func() error // ends it; the error is what ended it before
}

// firstPort is where the loads' ports begin. Ports of the kernel's own choosing
// depend on those it chose before.
const firstPort = 20000

// Start begins the other traffic that is there at the path's time zero. It has
// warmed up after WarmUp. The network outlives it.
func Start(n *network.Network, p path.Path) (*Traffic, error) {
	t := &Traffic{
		path:  p,
		up:    way{name: "up", from: n.Cross, to: n.CrossFar},
		down:  way{name: "down", from: n.CrossFar, to: n.Cross},
		port:  firstPort,
		ended: make(chan struct{}),
	}
	if err := t.set(0); err != nil {
		return nil, errors.Join(err, t.End())
	}
	return t, nil
}

// Begin makes the traffic follow the path's schedule from a time zero on the
// monotonic clock.
func (t *Traffic) Begin(zero time.Duration) {
	if !t.path.Crossed() || t.path.Schedule == (path.Schedule{}) {
		return
	}
	t.followed = make(chan error, 1)
	go func() { t.followed <- t.follow(zero) }()
}

func (t *Traffic) follow(zero time.Duration) error {
	for at, more := t.path.Schedule.Next(0); more; at, more = t.path.Schedule.Next(at) {
		t0, err := now()
		if err != nil {
			return err
		}
		select {
		case <-time.After(zero + at - t0):
		case <-t.ended:
			return nil
		}
		if err := t.set(at); err != nil {
			return fmt.Errorf("at %v: %w", at, err)
		}
	}
	return nil
}

// set makes the traffic what it is at a time of the schedule.
func (t *Traffic) set(at time.Duration) error {
	now := t.path.At(at)
	for _, w := range []struct {
		*way
		cross path.Cross
	}{{&t.up, now.Up.Cross}, {&t.down, now.Down.Cross}} {
		on, over, begin := change(w.running, func(l *load) path.Load { return l.kind }, kinds(w.cross))
		w.running = on
		for _, l := range over {
			if err := l.end(); err != nil {
				return fmt.Errorf("other traffic %s, %v: %w", w.name, l.kind, err)
			}
		}
		for _, kind := range begin {
			end, err := w.start(kind, t.port)
			if err != nil {
				return fmt.Errorf("other traffic %s, %v: %w", w.name, kind, err)
			}
			t.port++
			w.running = append(w.running, &load{kind, end})
		}
	}
	return nil
}

func (w *way) start(kind path.Load, port int) (end func() error, err error) {
	if kind.UDP > 0 {
		return startDatagrams(w.from, w.to, port, kind.UDP)
	}
	return startStream(w.from, w.to, port, kind.CC)
}

// End ends the traffic. The error is of what did not run as it ought to have,
// or not until now. It is for once.
func (t *Traffic) End() error {
	close(t.ended)
	var errs []error
	if t.followed != nil {
		errs = append(errs, <-t.followed)
	}
	for _, w := range []*way{&t.up, &t.down} {
		for _, l := range w.running {
			if err := l.end(); err != nil {
				errs = append(errs, fmt.Errorf("other traffic %s, %v: %w", w.name, l.kind, err))
			}
		}
		w.running = nil
	}
	return errors.Join(errs...)
}
