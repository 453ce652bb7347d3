package fleettest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"unchoke/internal/fleet"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Look reads the facts.
func (h *Host) Look(ctx context.Context) (f fleet.Facts, err error) {
	err = h.do(ctx, "look", func() error {
		f = h.Facts
		f.Status = h.status()
		return nil
	})
	return f, err
}

// Plan has what is not as it is wanted.
func (h *Host) Plan(ctx context.Context, o fleet.Order) (p tune.Plan, err error) {
	err = h.do(ctx, "plan", func() error { p = h.plan(o); return nil })
	return p, err
}

func (h *Host) plan(o fleet.Order) tune.Plan {
	p := tune.Plan{Schema: tune.PlanSchema, Scope: o.Scope, Remedy: o.Remedy, For: o.Measured, Changes: []tune.Change{}, Conflicts: []tune.Conflict{}, Notes: []tune.Note{}}
	if h.Unsupported != nil {
		p.Unsupported = h.Unsupported
		return p
	}
	for _, key := range slices.Sorted(maps.Keys(h.Wanted)) {
		if have := h.values[key]; have != h.Wanted[key] {
			p.Changes = append(p.Changes, tune.Change{Kind: tune.Sysctl, Key: key, When: tune.Now, Old: &have, New: new(h.Wanted[key]), Why: "the fake wants it"})
		}
	}
	if _, there := h.values[h.BootFile]; h.BootFile != "" && !there {
		p.Changes = append(p.Changes, tune.Change{Kind: tune.File, Key: h.BootFile, When: tune.Boot, New: new("lines"), Why: "the fake wants it"})
	}
	if len(p.Changes) > 0 {
		p.Conflicts = append(p.Conflicts, h.Conflicts...)
	}
	return p
}

// Try makes the changes that take effect at once.
func (h *Host) Try(ctx context.Context, p tune.Plan, timeout time.Duration) (o outcome.Outcome, err error) {
	err = h.do(ctx, "try", func() error {
		if h.phase == outcome.Tried {
			return fmt.Errorf("%w: changes are being tried", fleet.ErrRefused)
		}
		now := h.plan(fleet.Order{})
		if err := p.Same(&now); err != nil {
			return fmt.Errorf("%w: %w", fleet.ErrRefused, err)
		}
		for _, c := range p.Changes {
			if c.When == tune.Now {
				h.set(c)
			}
		}
		h.rounds++
		h.phase, h.tried, h.token = outcome.Tried, h.renewed, fmt.Sprintf("%s-%d", h.Called, h.rounds)
		h.deadline = h.Clock().Add(timeout)
		o = outcome.Outcome{Result: outcome.WasTried, Changes: slices.Clone(h.changes), Token: h.token, Deadline: new(h.deadline)}
		return nil
	})
	return o, err
}

func (h *Host) set(c tune.Change) {
	if _, stands := h.old[c.Key]; !stands {
		h.old[c.Key] = h.values[c.Key]
	}
	h.values[c.Key] = *c.New
	h.changes = append(h.changes, c)
}

// Verify reads back.
func (h *Host) Verify(ctx context.Context) (v outcome.Verification, err error) {
	err = h.do(ctx, "verify", func() error {
		h.verified = h.renewed
		v = outcome.Verification{Schema: outcome.VerificationSchema, Phase: h.phase, Items: h.status().Items, Wrong: []string{}}
		for _, i := range v.Items {
			if i.State != outcome.Held {
				v.Wrong = append(v.Wrong, i.Change.Key+" is "+*i.Have)
			}
		}
		return nil
	})
	return v, err
}

// Confirm keeps a trial.
func (h *Host) Confirm(ctx context.Context, token string) error {
	return h.do(ctx, "confirm", func() error {
		if h.phase != outcome.Tried || token != h.token {
			return errors.New("confirm: no changes wait for a confirmation")
		}
		h.phase = outcome.Kept
		return nil
	})
}

// Keep writes what counts from the next boot on.
func (h *Host) Keep(ctx context.Context, o fleet.Order) (out outcome.Outcome, err error) {
	err = h.do(ctx, "keep", func() error {
		if h.phase == outcome.Tried {
			return fmt.Errorf("%w: changes are being tried", fleet.ErrRefused)
		}
		p := h.plan(o)
		out.Result = outcome.Unchanged
		for _, c := range p.Changes {
			h.set(c)
			out.Result = outcome.Applied
		}
		if len(p.Changes) > 0 {
			h.phase = outcome.Kept
		}
		out.Changes = p.Changes
		return nil
	})
	return out, err
}

// Revert takes everything back.
func (h *Host) Revert(ctx context.Context) (o outcome.Outcome, err error) {
	err = h.do(ctx, "revert", func() error {
		o = outcome.Outcome{Result: outcome.Unchanged, Changes: h.changes}
		if len(h.changes) > 0 {
			o.Result = outcome.Reverted
		}
		h.takeBack()
		return nil
	})
	return o, err
}

// Status tells what stands.
func (h *Host) Status(ctx context.Context) (s outcome.Status, err error) {
	err = h.do(ctx, "status", func() error { s = h.status(); return nil })
	return s, err
}

func (h *Host) status() outcome.Status {
	s := outcome.Status{Schema: outcome.StatusSchema, Phase: h.phase, Items: []outcome.Item{}}
	if h.phase == outcome.Tried {
		s.Deadline = new(h.deadline)
	}
	for _, c := range h.changes {
		have := h.values[c.Key]
		i := outcome.Item{Change: c, Have: &have, State: outcome.Changed}
		if have == *c.New {
			i.State = outcome.Held
		}
		s.Items = append(s.Items, i)
	}
	return s
}

// Set makes a value what somebody else would make it.
func (h *Host) Set(key, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.values[key] = value
}
