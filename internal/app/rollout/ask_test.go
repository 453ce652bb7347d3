package rollout

import (
	"context"
	"testing"

	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/tune/outcome"
)

// asked is a host at which the user interrupts, and that notes whether it has a time.
type asked struct {
	fleet.Host
	interrupt context.CancelFunc
	bounded   bool
}

func (a *asked) Close() {}

func (a *asked) note(ctx context.Context) {
	a.interrupt()
	_, a.bounded = ctx.Deadline()
}

func (a *asked) Revert(ctx context.Context) (outcome.Outcome, error) {
	a.note(ctx)
	return outcome.Outcome{}, ctx.Err()
}

func (a *asked) Status(ctx context.Context) (outcome.Status, error) {
	a.note(ctx)
	return outcome.Status{}, ctx.Err()
}

// An interruption ends a question, and not a revert, which has its time all the same.
func TestAskInterrupted(t *testing.T) {
	for verb, fails := range map[string]bool{Status: true, Revert: false} {
		ctx, cancel := context.WithCancel(t.Context())
		host := &asked{interrupt: cancel}
		open := func(inventory.Host) (fleet.Host, error) { return host, nil }
		a := Ask(ctx, verb, []inventory.Host{{Name: "a", Address: "a"}}, open, 1, nil)
		if failed := a.Answers[0].Error != ""; failed != fails || !host.bounded {
			t.Errorf("%s: %+v, bounded: %v", verb, a.Answers[0], host.bounded)
		}
	}
}
