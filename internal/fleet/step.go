package fleet

import (
	"slices"
	"time"
)

// Do is what is done with one host.
type Do string

// The steps of a host.
const (
	Look    Do = "look"    // facts and plan
	Measure Do = "measure" // its path
	Try     Do = "try"
	Verify  Do = "verify" // on a new connection
	Confirm Do = "confirm"
	Keep    Do = "keep"
	Revert  Do = "revert"
	Inspect Do = "inspect" // its journal
)

// Step is one thing to do next. Steps of different hosts may run side by side,
// but measurements, which Schedule orders.
type Step struct {
	Host string `json:"host"`
	Do   Do     `json:"do"`
}

// Next is what is to be done now: at most one step a host. It is empty when the
// rollout has ended, or waits for steps that are under way.
func (r *Rollout) Next() []Step {
	if r.Done {
		return nil
	}
	var steps []Step
	for _, s := range r.wanted() {
		if !r.entry(s.Host).busy {
			steps = append(steps, s)
		}
	}
	return steps
}

// wanted are the next steps, those under way among them.
func (r *Rollout) wanted() []Step {
	var out []Step
	for _, e := range r.Entries {
		if e.unsure {
			out = append(out, Step{e.Host, Inspect})
		}
	}
	if len(out) > 0 {
		return out
	}
	if r.Halt != nil {
		return r.unwind()
	}
	for _, e := range r.Entries {
		if e.Stage == Waiting && e.Verdict == nil {
			out = append(out, Step{e.Host, Look})
		}
	}
	if len(out) > 0 || !r.Begun {
		return out
	}
	return r.advance()
}

// advance are the next steps of the batch under way, all hosts of which pass a
// measurement together.
func (r *Rollout) advance() []Step {
	batch := r.batch()
	has := func(stages ...Stage) bool {
		return slices.ContainsFunc(batch, func(e *Entry) bool { return slices.Contains(stages, e.Stage) })
	}
	var out []Step
	add := func(do Do, at ...Stage) {
		for _, e := range batch {
			if slices.Contains(at, e.Stage) {
				out = append(out, Step{e.Host, do})
			}
		}
	}
	// What a resumed rollout found on trial has no token any more.
	for _, e := range batch {
		onTrial := e.Stage == Trying || e.Stage == Tried || e.Stage == Verified
		if onTrial && e.token == "" && !e.busy || e.Stage == Reverting {
			out = append(out, Step{e.Host, Revert})
		}
	}
	switch {
	case len(out) > 0:
	case has(Waiting) && r.Settings.Rounds > 0:
		add(Measure, Waiting)
	case has(Waiting, Measured, Trying, Tried, Verified):
		add(Try, Waiting, Measured)
		add(Verify, Tried)
		add(Confirm, Verified)
	case has(Confirmed):
		add(Measure, Confirmed)
	default:
		add(Keep, Judged, Keeping)
	}
	return out
}

// Late puts those hosts up for another look that did not answer and whose own
// timer has run out by now. It says when that will be for the first of the others:
// zero where there is none.
func (r *Rollout) Late(now time.Time) (next time.Time) {
	for _, e := range r.Entries {
		switch {
		case e.Stage != Adrift || e.Deadline == nil:
		case now.After(*e.Deadline):
			e.unsure, e.Deadline = true, nil
		case next.IsZero() || e.Deadline.Before(next):
			next = *e.Deadline
		}
	}
	return next
}

// unwind takes back the batch that failed, and then looks whether that helped
// where it was slower.
func (r *Rollout) unwind() []Step {
	var out []Step
	for _, e := range r.Entries {
		if r.Halt.Batch >= 0 && e.Batch == r.Halt.Batch && e.Stage.Touched() && e.Stage != Adrift {
			out = append(out, Step{e.Host, Revert})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, e := range r.Entries {
		if e.Stage == Reverted && e.Since == nil && slices.ContainsFunc(e.Gains, func(g Gain) bool { return g.Answer == Slower }) {
			out = append(out, Step{e.Host, Measure})
		}
	}
	return out
}
