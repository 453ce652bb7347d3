package iperf3

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// turns let one test run at a time, and some clients wait for theirs.
type turns struct {
	slot    chan struct{} // holds a token while a test runs
	waiting atomic.Int64
}

// Why a client does not get its turn.
var (
	errBusy = errors.New("another test is running")
	errLeft = errors.New("it left while it waited for its turn")
)

// busy tells whether take would refuse a client now.
func (t *turns) busy(queue int) bool {
	return len(t.slot) > 0 && t.waiting.Load() >= int64(queue)
}

// take waits for the visit's turn, at most for patience and only if fewer than
// queue others do. Without an error the turn is the caller's until release.
func (t *turns) take(ctx context.Context, ctl *control, queue int, patience time.Duration) error {
	select {
	case t.slot <- struct{}{}:
		return nil
	default:
	}
	if t.waiting.Add(1) > int64(queue) {
		t.waiting.Add(-1)
		return errBusy
	}
	defer t.waiting.Add(-1)
	// A waiting client has nothing to say: if it speaks, or leaves, its place is
	// free.
	left := make(chan error, 1)
	if err := ctl.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	go func() {
		var b [1]byte
		_, err := ctl.conn.Read(b[:])
		left <- err
	}()
	select {
	case t.slot <- struct{}{}:
		_ = ctl.conn.SetReadDeadline(time.Unix(1, 0)) // ends the read
		if err := <-left; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.release()
			return errLeft
		}
		return nil
	case err := <-left:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return errLeft
		}
	case <-ctx.Done():
	}
	return errBusy
}

func (t *turns) release() { <-t.slot }
