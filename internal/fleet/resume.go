package fleet

import (
	"slices"

	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Resume makes a rollout that was killed, or halted, go on. What was touched is
// asked for its journal first; what was not is looked at anew.
func (r *Rollout) Resume() {
	if r.Done {
		return
	}
	r.Halt = nil
	for _, e := range r.Entries {
		switch e.Stage {
		case Kept:
		case Waiting, Passed, Measured, Reverted:
			e.again()
		default:
			e.unsure = true
		}
	}
	r.turn()
}

// inspected goes by what a host's journal says.
func (r *Rollout) inspected(e *Entry, v Event) {
	e.unsure = false
	if v.Err != nil {
		e.Stage = Adrift
		r.halt(e.Host, e.Batch, "it was touched, and does not answer: "+e.Error, "what is not confirmed its own timer takes back; unchoke fleet apply --resume asks again")
		return
	}
	s := *v.Status
	switch {
	case s.Phase == outcome.Idle && s.Lost == nil:
		// The timer, or this rollout before it was killed.
		e.Stage, e.Deadline = Reverted, nil
		if r.Halt == nil {
			e.again()
		}
	case !e.ours(s):
		e.Stage, e.Error = Adrift, "changes stand there that are not this rollout's"
		r.halt(e.Host, e.Batch, e.Error, "unchoke tune status there; unchoke fleet revert takes them back")
	case s.Phase == outcome.Kept && !s.Interrupted:
		e.kept(s, r.Settings.Rounds)
	default: // on trial, whose token is lost, or interrupted in the middle
		e.Stage, e.token = Reverting, ""
	}
}

// kept is a host whose changes are confirmed: until the next reboot, or for good.
func (e *Entry) kept(s outcome.Status, rounds int) {
	boot := slices.ContainsFunc(s.Items, func(i outcome.Item) bool { return i.Change.When == tune.Boot })
	switch {
	case e.Stage == Reverting:
	case e.Stage == Keeping && boot:
		e.Stage = Kept
	case e.Stage == Keeping || e.Stage == Judged || rounds == 0:
		e.Stage = Judged
	default:
		e.Stage, e.After, e.Gains = Confirmed, nil, nil
		if e.Before == nil {
			e.Stage = Reverting
		}
	}
}

// ours says that all that stands on a host is of the plan that this rollout has
// for it. Directories that files need are made along with them.
func (e *Entry) ours(s outcome.Status) bool {
	for _, i := range s.Items {
		c := i.Change
		planned := slices.ContainsFunc(e.Plan.Changes, func(p tune.Change) bool {
			return p.Kind == c.Kind && p.Key == c.Key && p.When == c.When && same(p.New, c.New)
		})
		if !planned && !isDirectory(c) {
			return false
		}
	}
	return s.Lost == nil
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func isDirectory(c tune.Change) bool {
	if c.Kind != tune.File {
		return false
	}
	v, err := tune.Decode[tune.FileValue](c.New)
	return err == nil && v != nil && v.Dir
}
