//go:build !slim

package remote

import (
	"context"
	"errors"
	"math/rand/v2"

	"unchoke/internal/record"
)

// Serve starts the far host's iperf3 server, and returns its port. It serves
// whoever asks, until Close.
func (h *Host) Serve(ctx context.Context) (port int, err error) {
	if h.Facts.IPerf3 == "" {
		return 0, &Error{
			Target: h.Target, what: "it has neither an unchoke that fits nor iperf3", cause: ErrNone,
			hint: "install iperf3 or unchoke there, or name a program for it with --far-binary",
		}
	}
	stop := context.AfterFunc(ctx, h.kill)
	defer stop()
	h.options.progress("start iperf3 there")
	for range serveTries {
		port = firstPort + rand.IntN(lastPort-firstPort)
		if err = h.order("serve %d", port); err != nil {
			return 0, err
		}
		if _, err = h.await(ctx, "serving"); err == nil {
			h.Runs = record.StockServe
			return port, nil
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if !errors.As(err, new(farError)) {
			return 0, err
		}
	}
	return 0, &Error{Target: h.Target, what: err.Error(), hint: h.hint("`ssh %s iperf3 -s -1` must work"), cause: err}
}

// The ports that Serve tries: those that no system gives to connections by
// itself (RFC 6335 §6 and Linux's ip_local_port_range begin above them), so that
// a try mostly succeeds.
const (
	firstPort, lastPort = 20000, 32000
	serveTries          = 4
)
