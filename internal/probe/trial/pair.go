package trial

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"unchoke/internal/record"
)

// pair runs an arm beside a neighbor that is a transfer of its own. What counts
// is the time in which both ran: all of it, unless one's server was busy when
// the other began.
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

const (
	// leastShared is the share of a trial's time in which its neighbor must run
	// too. Of what the two servers take to begin, little is left of a trial.
	leastShared = 0.5
	// meetings are how often a pair that missed each other is tried in all.
	meetings = 3
)

// meets says why too little of an outcome was beside its neighbor, if so; length
// is the time that was to count.
func (o *outcome) meets(length time.Duration) error {
	if o.neighbor == nil || o.neighbor.start.Equal(o.start) || o.to-o.from >= leastShared*length.Seconds() {
		return nil // without one, in the same test, or long enough
	}
	late := "neighbor"
	if o.start.After(o.neighbor.start) {
		late = "arm"
	}
	return &missedError{late, max(o.to-o.from, 0), length.Seconds()}
}

// missedError is a trial for most of which arm and neighbor did not run at once.
type missedError struct {
	late           string // which of them had to wait
	shared, length float64
}

func (e *missedError) Error() string {
	return fmt.Sprintf("the arm and its neighbor ran at once for only %.2g of %.3g s: the %s's server was busy", e.shared, e.length, e.late)
}

// Hint says what to do next.
func (e *missedError) Hint() string {
	return "use servers that nobody else tests with meanwhile: on the far host, iperf3 -s -p PORT"
}

// meet runs a trial until arm and neighbor have met. If it had to be repeated,
// the trial says so.
func meet(once func() (record.Trial, error)) (record.Trial, error) {
	var again []string
	for left := meetings - 1; ; left-- {
		t, err := once()
		missed, ok := errors.AsType[*missedError](err)
		if !ok || left == 0 {
			t.Warnings = append(t.Warnings, again...)
			return t, err
		}
		again = []string{"this trial was repeated: " + missed.Error()}
	}
}
