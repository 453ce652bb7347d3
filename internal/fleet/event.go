package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Event is what came of a step. Each kind of step has the fields that it fills.
type Event struct {
	Step
	Err error

	Facts        *Facts                // look
	Plan         *tune.Plan            // look
	Rates        *Rates                // measure
	Outcome      *outcome.Outcome      // try, keep, revert
	Verification *outcome.Verification // verify
	Status       *outcome.Status       // inspect
}

// Begin notes that a step is about to be done, before it is: a rollout that is
// killed then knows which hosts it may have touched.
func (r *Rollout) Begin(s Step, now time.Time) {
	e := r.entry(s.Host)
	e.busy = true
	switch s.Do {
	case Try:
		e.Stage = Trying
		deadline := now.Add(seconds(r.Settings.Timeout)).UTC()
		e.Deadline = &deadline
	case Keep:
		e.Stage = Keeping
	case Revert:
		e.Stage = Reverting
	}
}

// Interrupt stops a rollout that somebody asked to end: what its batch changed
// is taken back.
func (r *Rollout) Interrupt() {
	r.halt("", r.underWay(), "it was interrupted", "unchoke fleet apply --resume goes on")
}

// underWay is the batch that a halt between steps is in: -1 before the first began.
func (r *Rollout) underWay() int {
	if !r.Begun {
		return -1
	}
	return r.Batch
}

func (r *Rollout) halt(host string, batch int, why, next string) {
	if r.Halt == nil {
		r.Halt = &Halt{host, batch, why, next}
	}
}

// After takes what came of a step.
func (r *Rollout) After(v Event) {
	e := r.entry(v.Host)
	e.busy = false
	if v.Do == Look {
		r.looked(e, v)
		return
	}
	e.Error, e.Hint = "", ""
	if v.Err != nil {
		e.Error, e.Hint = v.Err.Error(), hint.Of(v.Err)
	}
	switch v.Do {
	case Measure:
		r.measured(e, v)
	case Try:
		r.tried(e, v)
	case Verify:
		r.verified(e, v)
	case Confirm:
		if v.Err == nil {
			e.Stage, e.Deadline, e.token = Confirmed, nil, ""
			if r.Settings.Rounds == 0 {
				e.Stage = Judged
			}
			break
		}
		e.unsure = true // it may have been, before the answer was lost
		r.halt(e.Host, e.Batch, "its trial could not be confirmed: "+e.Error, e.Hint)
	case Keep:
		if v.Err == nil {
			e.Stage = Kept
			break
		}
		e.unsure = errors.Is(v.Err, ErrLost)
		r.halt(e.Host, e.Batch, "the changes could not be made permanent: "+e.Error, e.Hint)
	case Revert:
		r.reverted(e, v)
	case Inspect:
		r.inspected(e, v)
	}
	r.turn()
}

// looked keeps what a preflight saw; with the last host's the rollout begins.
func (r *Rollout) looked(e *Entry, v Event) {
	var verdict Verdict
	if v.Err != nil {
		verdict = NotReached(v.Err.Error(), hint.Of(v.Err))
	} else {
		e.Facts, e.Plan = v.Facts, v.Plan
		verdict = Preflight(v.Facts, v.Plan, seconds(r.Settings.Timeout), r.Settings.Despite)
	}
	e.Verdict = &verdict
	for _, other := range r.Entries {
		if other.Stage == Waiting && other.Verdict == nil {
			return
		}
	}
	r.begin()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// begin decides on all verdicts together, before anything is touched, or, resumed, before
// anything more is.
func (r *Rollout) begin() {
	var refused []*Entry
	for _, e := range r.Entries {
		if e.Stage == Waiting && e.Verdict.Fitness == Refused {
			refused = append(refused, e)
		}
	}
	if len(refused) > 0 && !r.Settings.SkipRefused {
		e := refused[0]
		why := e.Verdict.Reasons[0].What
		if n := len(refused); n > 1 {
			why += fmt.Sprintf(" (and %d more were refused)", n-1)
		}
		r.halt(e.Host, r.underWay(), why, "fix it, leave it out with --limit '!"+e.Host+"', or go on without those refused: --skip-refused")
		return
	}
	ready := 0
	for _, e := range r.Entries {
		switch {
		case e.Stage != Waiting:
		case e.Verdict.Fitness == Ready:
			ready++
			e.Batch = max(e.Batch, r.Batch) // resumed, and not ready before
		default:
			e.Stage = Passed
		}
	}
	if !r.Begun {
		r.deal(ready)
	}
	r.Begun = true
	r.turn()
}

// deal puts the hosts that are ready into batches, in their order.
func (r *Rollout) deal(ready int) {
	sizes, _ := ParseBatches(r.Settings.Batch) // NewRollout and Check read it
	r.Batches = append([]int{}, sizes.Cut(ready)...)
	n, left := 0, 0
	if len(r.Batches) > 0 {
		left = r.Batches[0]
	}
	for _, e := range r.Entries {
		if e.Stage != Waiting {
			continue
		}
		if left == 0 {
			n++
			left = r.Batches[n]
		}
		e.Batch = n
		left--
	}
}

// turn goes to the next batch where this one is through.
func (r *Rollout) turn() {
	for r.Begun && r.Halt == nil && !r.Done {
		if slices.ContainsFunc(r.batch(), func(e *Entry) bool { return !e.Stage.settled() || e.unsure }) {
			return
		}
		if r.Batch+1 >= len(r.Batches) {
			r.Done = true
			return
		}
		r.Batch++
	}
}

// measured takes rates before the change, after it, or after a revert.
func (r *Rollout) measured(e *Entry, v Event) {
	switch e.Stage {
	case Waiting:
		if v.Err != nil {
			r.halt(e.Host, e.Batch, "its path could not be measured: "+e.Error, e.Hint)
			return
		}
		e.Before, e.Stage = v.Rates, Measured
	case Confirmed:
		if v.Err != nil {
			r.halt(e.Host, e.Batch, "its path could not be measured after the change: "+e.Error, e.Hint)
			return
		}
		first := e.After == nil
		if first {
			e.After = &Rates{}
		}
		e.After.add(*v.Rates)
		e.Gains = gains(*e.Before, *e.After)
		if first && suspect(e.Gains) {
			return // measured once more
		}
		for _, g := range e.Gains {
			if g.Answer == Slower {
				r.halt(e.Host, e.Batch, fmt.Sprintf("its path is slower with the changes: what it %s falls to %.0f %% of what that was [%.0f–%.0f %%]", does[g.Direction], g.Ratio*100, g.Interval.Low*100, g.Interval.High*100), "")
				return
			}
		}
		e.Stage = Judged
	case Reverted:
		e.Since = v.Rates
		if v.Rates == nil {
			e.Since = &Rates{}
		}
	}
}

// does is what a direction, as this host sees it, is to the fleet's host.
var does = map[record.Direction]string{record.Down: "sends", record.Up: "receives"}

func (r *Rollout) tried(e *Entry, v Event) {
	switch {
	case v.Err == nil:
		e.Stage, e.token, e.Deadline = Tried, v.Outcome.Token, v.Outcome.Deadline
		if v.Outcome.Result == outcome.Unchanged { // only what counts at boot is to change
			e.Stage, e.Deadline = Confirmed, nil
			if r.Settings.Rounds == 0 {
				e.Stage = Judged
			}
		}
		return
	case errors.Is(v.Err, ErrRefused):
		e.Stage, e.Deadline = Measured, nil
	case errors.Is(v.Err, ErrReverted):
		e.Stage, e.Deadline = Reverted, nil
	default:
		e.unsure = true
	}
	r.halt(e.Host, e.Batch, "the changes could not be tried: "+e.Error, e.Hint)
}

func (r *Rollout) verified(e *Entry, v Event) {
	why := ""
	switch {
	case v.Err != nil:
		why = e.Error
	case v.Verification.Phase != outcome.Tried:
		why = fmt.Sprintf("its journal says %q, not that changes are being tried", v.Verification.Phase)
	case len(v.Verification.Wrong) > 0:
		why = strings.Join(v.Verification.Wrong, "; ")
	}
	if why == "" {
		e.Stage = Verified
		return
	}
	e.Error = why
	e.unsure = errors.Is(v.Err, ErrLost)
	r.halt(e.Host, e.Batch, "the changes are not in force on a new connection: "+why, e.Hint)
}

func (r *Rollout) reverted(e *Entry, v Event) {
	if v.Err != nil {
		e.Stage = Adrift
		r.halt(e.Host, e.Batch, "it could not be reverted: "+e.Error, e.Hint)
		return
	}
	e.Deadline, e.token = nil, ""
	if left := v.Outcome.Left; len(left) > 0 {
		e.Stage, e.Error = Adrift, fmt.Sprintf("%s was not taken back: %s", left[0].Change.Key, left[0].Why)
		r.halt(e.Host, e.Batch, e.Error, "unchoke tune status there")
		return
	}
	e.Stage = Reverted
	if r.Halt == nil { // of a rollout that goes on, from its beginning
		e.again()
	}
}

// again puts a host back to where nothing was done with it.
func (e *Entry) again() {
	e.Stage, e.Verdict, e.Before, e.After, e.Gains, e.Since, e.Error, e.Hint = Waiting, nil, nil, nil, nil, nil, "", ""
	e.unsure, e.token, e.Deadline = false, "", nil
}
