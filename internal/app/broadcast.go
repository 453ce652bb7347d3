package app

import (
	"context"
	"io"
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

// subscriber is one that takes snapshots when it can. Of those that wait longer
// than queued the oldest is dropped.
type subscriber struct {
	b       *Broadcast
	wake    chan struct{} // holds one where something has happened
	waiting []*live.Snapshot
}

// Subscribe is a source with every snapshot from now on. Where its reader is so
// slow that more than three wait, it misses the oldest of them.
func (b *Broadcast) Subscribe() live.Source {
	s := &subscriber{b: b, wake: make(chan struct{}, 1)}
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
			if err == io.EOF {
				return nil
			}
			return err
		}
		for _, f := range b.each {
			f(snap)
		}
		b.publish(snap)
	}
}

func (b *Broadcast) publish(snap *live.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subscribers {
		if len(s.waiting) == queued {
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
		}
		s.waiting = append(s.waiting, snap)
		s.rouse()
	}
}

func (b *Broadcast) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = err
	for _, s := range b.subscribers {
		s.rouse()
	}
}

func (s *subscriber) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Next implements live.Source. What waits is given before the source's end is.
func (s *subscriber) Next(ctx context.Context) (*live.Snapshot, error) {
	for {
		s.b.mu.Lock()
		if len(s.waiting) > 0 {
			snap := s.waiting[0]
			s.waiting = append(s.waiting[:0], s.waiting[1:]...)
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
