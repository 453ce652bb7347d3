//go:build unix

package main

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

// ^C, SIGTERM and a terminal that is closed cancel, each in plain words.
func TestUntilSignal(t *testing.T) {
	attended(t)
	for _, c := range []struct {
		by   syscall.Signal
		want string
	}{
		{syscall.SIGINT, "interrupted"}, {syscall.SIGTERM, "ended by SIGTERM"}, {syscall.SIGHUP, "ended by SIGHUP"},
	} {
		ctx, stop := untilSignal()
		if err := syscall.Kill(syscall.Getpid(), c.by); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatalf("%v ends nothing", c.by)
		}
		if cause := context.Cause(ctx); cause.Error() != c.want || !errors.Is(cause, context.Canceled) {
			t.Errorf("%v: %v", c.by, cause)
		}
		stop()
	}
}
