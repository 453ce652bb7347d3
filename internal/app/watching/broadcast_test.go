package watching

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/internal/live"
)

// ticking gives n snapshots, one a second, then an error.
type ticking struct {
	n   int
	end error
}

func (s *ticking) Next(ctx context.Context) (*live.Snapshot, error) {
	if s.n == 0 {
		return nil, s.end
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Second):
	}
	s.n--
	return &live.Snapshot{Time: time.Now(), Interval: 1}, nil
}

// Each function and each subscriber gets all of it, in order, then the end.
func TestBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []*live.Snapshot
		b := NewBroadcast(&ticking{5, io.EOF}, func(s *live.Snapshot) { heard = append(heard, s) })
		type got struct {
			snaps []*live.Snapshot
			err   error
		}
		results := make(chan got)
		for range 2 {
			src := b.Subscribe()
			go func() {
				var g got
				for {
					s, err := src.Next(t.Context())
					if err != nil {
						g.err = err
						results <- g
						return
					}
					g.snaps = append(g.snaps, s)
				}
			}()
		}
		if err := b.Run(t.Context()); err != nil || len(heard) != 5 {
			t.Errorf("%d heard, %v", len(heard), err)
		}
		for range 2 {
			g := <-results
			if len(g.snaps) != 5 || g.err != io.EOF {
				t.Fatalf("%d snapshots, %v", len(g.snaps), g.err)
			}
			for i := range heard {
				if g.snaps[i] != heard[i] {
					t.Errorf("snapshot %d is another", i)
				}
			}
		}
	})
}

// A subscriber that does not read holds nobody up, and keeps the newest.
func TestBroadcastSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		failure := errors.New("no more")
		b := NewBroadcast(&ticking{10, failure})
		slow := b.Subscribe()
		if err := b.Run(t.Context()); err != failure || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		for i := range queued {
			s, err := slow.Next(t.Context())
			if want := time.Duration(10-queued+1+i) * time.Second; err != nil || s.Time.Sub(start) != want {
				t.Fatalf("%v, %v, want the snapshot of %v", s, err, want)
			}
		}
		if _, err := slow.Next(t.Context()); err != failure {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := NewBroadcast(&ticking{}).Subscribe().Next(ctx); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	})
}

// One that misses none holds the source up until it has read.
func TestBroadcastAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := NewBroadcast(&ticking{10, io.EOF})
		all := b.SubscribeAll()
		ran := make(chan error)
		go func() { ran <- b.Run(t.Context()) }()
		for i := range 10 {
			time.Sleep(5 * time.Second)
			s, err := all.Next(t.Context())
			if err != nil || i > 0 && i < 4 && s.Time.Sub(start) != time.Duration(i+1)*time.Second {
				t.Fatalf("%d: %v, %v", i, s, err)
			}
		}
		if _, err := all.Next(t.Context()); err != io.EOF {
			t.Errorf("error %v", err)
		}
		if err := <-ran; err != nil {
			t.Error(err)
		}
		// Nobody reads: the end of the context ends it.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		b = NewBroadcast(&ticking{10, io.EOF})
		b.SubscribeAll()
		if err := b.Run(ctx); err != context.DeadlineExceeded || time.Since(start) > 3*time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
