package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
)

// Way is how changes are taken back.
type Way struct {
	Force bool // restores a value, too, that somebody changed since
	// Except are keys that are left as they are, and forgotten.
	Except []string
}

// Revert takes every change back that stands, of all rounds. Where a value is
// neither ours nor the old one, it touches nothing and returns a *DriftError,
// unless the way is by force: then that one is restored as well. What a run that
// was interrupted left is taken back as far as it is ours.
func (t *Tuner) Revert(ctx context.Context, w Way) (Undo, error) {
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return Undo{}, err
	}
	defer unlock()
	s := j.State()
	if err := known(s, w.Except); err != nil {
		return Undo{}, err
	}
	if s.Phase == journal.Idle {
		lost, err := t.lost(s)
		if err == nil && lost != nil {
			err = &LostError{*lost}
		}
		return Undo{}, err
	}
	if err := t.here(s, w.Except); err != nil {
		return Undo{}, err
	}
	if err := t.mayRestore(s, w); err != nil {
		return Undo{}, err
	}
	if !w.Force && (s.Phase == journal.Kept || s.Phase == journal.Tried) {
		drifts, err := t.drifts(s, w.Except)
		if err != nil {
			return Undo{}, err
		}
		if len(drifts) > 0 {
			return Undo{}, &DriftError{drifts}
		}
	}
	return t.takeBack(j, 0, "asked for", w)
}

// Expire takes the round of that ID back where it still waits, and says
// whether it did. It waits for the lock: a timer has no second chance.
func (t *Tuner) Expire(ctx context.Context, round string) (bool, error) {
	j, unlock, err := t.open(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	s := j.State()
	if s.Last.ID != round || s.Phase == journal.Idle || s.Phase == journal.Kept {
		return false, nil
	}
	if err := t.here(s, nil); err != nil {
		return false, err
	}
	_, err = t.takeBack(j, from(s), "not confirmed in time", Way{})
	return true, err
}

// Find returns nil where the journal has that round as its latest.
func (t *Tuner) Find(round string) error {
	s, err := t.State()
	if err == nil && s.Last.ID != round {
		err = fmt.Errorf("the journal in %s has no round %s", t.Dir, round)
	}
	return err
}

// from is the step from which on a round that is not kept is taken back.
func from(s journal.State) int {
	if s.Phase == journal.Undoing {
		return s.UndoTo
	}
	return s.Mark
}

// Recover takes back what a run that was killed left half done. It returns nil
// where there was none, and a *PendingError where a trial is waiting.
func (t *Tuner) Recover(ctx context.Context) (*Undo, error) {
	if s, err := t.State(); err != nil || s.Phase == journal.Idle || s.Phase == journal.Kept {
		return nil, err
	}
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s := j.State()
	why := ""
	switch s.Phase {
	case journal.Idle, journal.Kept:
		return nil, nil
	case journal.Tried:
		if s.Last.Boot == t.Boot && t.Now().Before(s.Last.Deadline) {
			return nil, &PendingError{s.Last.Deadline}
		}
		why = "tried and not confirmed"
		if s.Last.Boot != t.Boot {
			why = "tried and not confirmed before the reboot"
		}
	case journal.Undoing:
		why = "interrupted while it took changes back (" + s.Reason + ")"
	default:
		why = "interrupted while it made changes"
	}
	if err := t.here(s, nil); err != nil {
		return nil, err
	}
	undo, err := t.takeBack(j, from(s), why, Way{})
	return &undo, err
}

func (t *Tuner) takeBack(j *journal.Journal, to int, reason string, w Way) (Undo, error) {
	s := j.State()
	undo := Undo{Reason: reason}
	timer := s.Timer
	var err error
	undo.Left, err = t.undo(j, to, reason, w)
	_, unwritten := errors.AsType[*UnwrittenError](err)
	if err != nil && !unwritten {
		return undo, err
	}
	for i := len(s.Steps) - 1; i >= to; i-- {
		c := s.Steps[i].Change
		left := slices.ContainsFunc(undo.Left, func(l Left) bool { return l.Change == c })
		if !s.Steps[i].Undone && !left {
			undo.Took = append(undo.Took, c)
		}
	}
	if timer != nil && !unwritten { // the journal still has the round
		t.disarm(*timer)
	}
	return undo, err
}

// UnwrittenError is a journal that could not be told that changes were taken back.
type UnwrittenError struct {
	Err  error
	Left []Left
	Dir  string
}

func (e *UnwrittenError) Error() string {
	return fmt.Sprintf("%s; the journal could not be told: %v", backText(e.Left), e.Err)
}

func (e *UnwrittenError) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *UnwrittenError) Hint() string {
	return "free space in " + e.Dir + " or make it writable; unchoke tune revert then finds every old value in its place, and closes the journal"
}

// undo takes the steps from one on back, the latest first. What cannot be taken
// back now stays in the journal, for the next run.
//
// What this boot's rounds made is taken back even where the journal cannot be
// written, and the error is an *UnwrittenError then: each step is held against the
// host, and the next run finds it done.
func (t *Tuner) undo(j *journal.Journal, to int, reason string, w Way) ([]Left, error) {
	j.Forgo()
	if s := j.State(); s.Phase != journal.Undoing || s.UndoTo != to || s.UndoIn != t.Boot {
		found, err := t.found(s)
		if err != nil {
			return nil, err
		}
		if err := t.write(j, journal.Event{Kind: journal.BeganUndo, To: to, Found: found, Reason: reason}); err != nil {
			return nil, err
		}
	}
	if err := t.settle(j); err != nil {
		return nil, err
	}
	var left []Left
	var failed []error
	stuck := ""
	for _, i := range undoOrder(j.State().Steps, to) {
		why, stays, err := t.undoOne(j, i, w)
		if err != nil {
			failed = append(failed, err)
			stuck = j.State().Steps[i].Key
			continue
		}
		if why != "" {
			left = append(left, Left{Change: j.State().Steps[i].Change, Why: why})
		}
		if err := t.write(j, journal.Event{Kind: journal.Undone, Step: i, Left: why, Stays: stays}); err != nil {
			return left, err
		}
	}
	if len(failed) > 0 {
		next := "unchoke tune revert goes on where this stopped; with --except " + quoted(stuck) + " it leaves that one as it is"
		if err := j.Lost(); err != nil {
			failed = append(failed, err)
			next = "free space in " + t.Dir + " or make it writable; " + next
		}
		return left, hint.With(fmt.Errorf("take changes back: %w", errors.Join(failed...)), next)
	}
	if err := t.write(j, journal.Event{Kind: journal.Closed}); err != nil {
		return left, err
	}
	if err := j.Lost(); err != nil {
		return left, &UnwrittenError{err, left, t.Dir}
	}
	return left, nil
}

// undoOrder is the reverse of that in which the steps were made, but for two
// things. What counts from the next boot on comes first, since a reboot
// meanwhile would make again what is taken back already. And default_qdisc comes
// before the devices, which the kernel gives back what that says.
func undoOrder(steps []journal.Step, to int) []int {
	var files, defaults, rest []int
	for i := len(steps) - 1; i >= to; i-- {
		switch s := steps[i]; {
		case s.Undone:
		case s.When == tune.Boot:
			files = append(files, i)
		case s.Kind == tune.Sysctl && s.Key == defaultQdisc:
			defaults = append(defaults, i)
		default:
			rest = append(rest, i)
		}
	}
	return slices.Concat(files, defaults, rest)
}

const defaultQdisc = "net.core.default_qdisc"

// undoOne takes one step back. why is not empty where it had to be left; it stays
// in the journal where its old value may still be wanted.
func (t *Tuner) undoOne(j *journal.Journal, i int, w Way) (why string, stays bool, err error) {
	s := j.State().Steps[i]
	if j.Lost() != nil && s.Boot != t.Boot {
		// What a reboot ended, the next run learns from the journal and the files.
		return "", false, fmt.Errorf("restore %s: it was changed before the reboot, and the journal takes no note", s.Key)
	}
	if slices.Contains(w.Except, s.Key) {
		return "left out by --except", false, nil
	}
	if s.Kind == tune.File {
		// A crash may have left the file under its other name.
		if err := disk.Discard(t.Disk, s.Key); err != nil {
			return "", false, err
		}
	}
	have, err := t.Host.Read(s.Kind, s.Key)
	if err != nil {
		return "", false, err
	}
	ended, err := t.ended(j.State(), s)
	switch {
	case err != nil:
		return "", false, err
	case holds(s.Kind, s.Key, s.Old, have):
		return "", false, nil
	case gone(s, have):
		return "it is gone", false, nil
	case ended && !w.Force:
		return "the reboot ended it: it is " + tune.Words(s.Kind, have) + " now", false, nil
	case !ours(s, t.Boot, have) && !w.Force:
		return "somebody changed it: it " + tune.Difference(s.Kind, s.New, have), true, nil
	}
	if err := t.set(j, i, s.Old); err != nil {
		if errors.Is(err, tune.ErrSharedRoute) {
			return tune.ErrSharedRoute.Error(), true, nil
		}
		if s.Kind == tune.Module { // which does no harm
			return fmt.Sprintf("it could not be unloaded: %v", err), false, nil
		}
		if isDir(s.New) && errors.Is(err, syscall.ENOTEMPTY) {
			return "other files are in it", false, nil
		}
		return "", false, err
	}
	if have, err = t.Host.Read(s.Kind, s.Key); err != nil {
		return "", false, err
	}
	if holds(s.Kind, s.Key, s.Old, have) {
		return "", false, nil
	}
	if s.Kind == tune.Module {
		return "it is in use", false, nil
	}
	return "", false, fmt.Errorf("restore %s to %s: it is %s now", s.Key, tune.Words(s.Kind, s.Old), tune.Words(s.Kind, have))
}

func isDir(value *string) bool {
	v, err := tune.Decode[tune.FileValue](value)
	return err == nil && v != nil && v.Dir
}
