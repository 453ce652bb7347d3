package fleettest

import (
	"maps"
	"testing"
	"time"

	"unchoke/internal/fleet"
	"unchoke/internal/tune/outcome"
)

// The fake keeps to what it stands for: a trial that nobody confirms is taken
// back, one that is kept is not, and revert restores.
func TestHostIsATunedHost(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	h := New("a", func() time.Time { return now })
	before := h.Values()
	ctx := t.Context()
	p, err := h.Plan(ctx, fleet.Order{})
	if err != nil || len(p.Changes) != 3 {
		t.Fatal(p, err)
	}
	if _, err := h.Try(ctx, p, time.Minute); err != nil || maps.Equal(h.Values(), before) {
		t.Fatal(h.Values(), err)
	}
	now = now.Add(time.Minute)
	if got := h.Values(); !maps.Equal(got, before) || h.Phase() != outcome.Idle {
		t.Fatalf("after the timer: %v, %s", got, h.Phase())
	}
	o, err := h.Try(ctx, p, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Confirm(ctx, "wrong"); err == nil {
		t.Error("a wrong token confirms")
	}
	h.Renew()
	if v, err := h.Verify(ctx); err != nil || len(v.Wrong) > 0 || !h.AnotherConnection() {
		t.Error(v, err)
	}
	if err := h.Confirm(ctx, o.Token); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if k, err := h.Keep(ctx, fleet.Order{}); err != nil || k.Result != outcome.Applied || len(k.Changes) != 1 {
		t.Error(k, err)
	}
	if k, err := h.Keep(ctx, fleet.Order{}); err != nil || k.Result != outcome.Unchanged {
		t.Error(k, err)
	}
	if _, err := h.Revert(ctx); err != nil || !maps.Equal(h.Values(), before) {
		t.Error(h.Values(), err)
	}
}
