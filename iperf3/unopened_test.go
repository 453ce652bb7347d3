//go:build !slim

package iperf3

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
)

// A server that cannot be reached has a kind of error, with a next step, for each way
// in which it cannot.
func TestUnopened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		met  error
		want error
	}{
		{os.ErrDeadlineExceeded, ErrUnanswered},
		{syscall.ETIMEDOUT, ErrUnanswered},
		{syscall.EHOSTUNREACH, ErrUnreachable},
		{syscall.ENETUNREACH, ErrUnreachable},
		{syscall.ECONNREFUSED, ErrRefused},
	} {
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: c.met}
		}
		_, err := (&Client{Dial: dial}).Run(t.Context(), "192.0.2.7", Test{})
		if !errors.Is(err, c.want) || !errors.Is(err, c.met) || Hint(err) == "" {
			t.Errorf("%v: %v, hint %q", c.met, err, Hint(err))
		}
	}
}
