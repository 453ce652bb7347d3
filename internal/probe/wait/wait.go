// Package wait lets time pass between packets, probes and tests.
package wait

import (
	"context"
	"time"
)

// For waits so long, or until the context ends, whose cause it then returns.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
