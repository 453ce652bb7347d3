package trial

import (
	"context"
	"net/netip"
	"time"
)

// pair runs an arm beside a neighbor that is a transfer of its own. What counts
// is the time in which both ran.
type pair struct{ main, beside method }

func (p *pair) address() netip.Addr { return p.main.address() }

func (p *pair) run(ctx context.Context, omit, length time.Duration) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var neighbor outcome
	done := make(chan error, 1)
	go func() {
		var err error
		if neighbor, err = p.beside.run(ctx, omit, length); err != nil {
			err = &neighborError{err}
			cancel(err)
		}
		done <- err
	}()
	o, err := p.main.run(ctx, omit, length)
	if err != nil {
		cancel(err)
		<-done
		return o, err
	}
	if err := <-done; err != nil {
		return o, err
	}
	o.shorten(neighbor.since(), neighbor.until())
	neighbor.shorten(o.since(), o.until())
	o.neighbor = &neighbor
	return o, nil
}

// neighborError is a failure of the neighbor, not of the arm.
type neighborError struct{ error }

func (e *neighborError) Error() string { return "the neighbor: " + e.error.Error() }
func (e *neighborError) Unwrap() error { return e.error }
