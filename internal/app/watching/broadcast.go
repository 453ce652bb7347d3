package watching

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"unchoke/internal/live"
)

// Broadcast gives the snapshots of one source to several: the terminal or the
// text, the web page, the exporter.
type Broadcast struct {
	src  live.Source
	each []func(*live.Snapshot)

	mu          sync.Mutex
	subscribers []*subscriber
	ended       error // why the source ended
}

// NewBroadcast begins one. Each function is called with every snapshot, in
// order, before anybody else gets it; it returns soon.
func NewBroadcast(src live.Source, each ...func(*live.Snapshot)) *Broadcast {
	return &Broadcast{src: src, each: each}
}

// queued is how many snapshots wait for a subscriber that is slow. A snapshot of
// 10,000 flows is some 6 MB.
const queued = 3

// subscriber is one that takes snapshots when it can.
type subscriber struct {
	b       *Broadcast
	all     bool          // what there is no room for waits; else the oldest goes
	wake    chan struct{} // holds one where something has happened
	room    chan struct{} // holds one where something was taken
	waiting []*live.Snapshot
}

// Subscribe is a source with every snapshot from now on. Where its reader is so
// slow that more than three wait, it misses the oldest of them.
func (b *Broadcast) Subscribe() live.Source { return b.subscribe(false) }

// SubscribeAll is a source that misses none: everybody waits for its reader.
func (b *Broadcast) SubscribeAll() live.Source { return b.subscribe(true) }

func (b *Broadcast) subscribe(all bool) live.Source {
	s := &subscriber{b: b, all: all, wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	b.mu.Lock()
	b.subscribers = append(b.subscribers, s)
	b.mu.Unlock()
	return s
}

// Run takes from the source until it ends or the context does, and returns why;
// nil where the source has no more.
func (b *Broadcast) Run(ctx context.Context) error {
	for {
		snap, err := b.src.Next(ctx)
		if err != nil {
			b.end(err)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		for _, f := range b.each {
			f(snap)
		}
		if err := b.publish(ctx, snap); err != nil {
			b.end(err)
			return err
		}
	}
}

func (b *Broadcast) publish(ctx context.Context, snap *live.Snapshot) error {
	b.mu.Lock()
	subscribers := slices.Clone(b.subscribers)
	b.mu.Unlock()
	for _, s := range subscribers {
		for !s.offer(snap) {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-s.room:
			}
		}
	}
	return nil
}

// offer puts a snapshot where it waits for the reader; false where there is no
// room for it yet.
func (s *subscriber) offer(snap *live.Snapshot) bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if len(s.waiting) == queued {
		if s.all {
			return false
		}
		s.waiting = slices.Delete(s.waiting, 0, 1)
	}
	s.waiting = append(s.waiting, snap)
	rouse(s.wake)
	return true
}

func (b *Broadcast) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = err
	for _, s := range b.subscribers {
		rouse(s.wake)
	}
}

func rouse(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Next implements live.Source. What waits is given before the source's end is.
func (s *subscriber) Next(ctx context.Context) (*live.Snapshot, error) {
	for {
		s.b.mu.Lock()
		if len(s.waiting) > 0 {
			snap := s.waiting[0]
			s.waiting = slices.Delete(s.waiting, 0, 1)
			rouse(s.room)
			s.b.mu.Unlock()
			return snap, nil
		}
		ended := s.b.ended
		s.b.mu.Unlock()
		if ended != nil {
			return nil, ended
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.wake:
		}
	}
}
