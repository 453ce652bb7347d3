package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
)

// Left is a change that was not taken back, and why.
type Left struct {
	Change tune.Change `json:"change"`
	Why    string      `json:"why"`
}

// DriftError says that values are neither what was made of them nor what they
// were before.
type DriftError struct{ Items []Item }

func (e *DriftError) Error() string {
	var s strings.Builder
	s.WriteString("changed by somebody else since:")
	for _, i := range e.Items {
		s.WriteString(fmt.Sprintf(" %s is %s;", i.Change.Key, text(i.Have)))
	}
	return s.String()[:len(s.String())-1]
}

// Hint is the next step.
func (e *DriftError) Hint() string {
	return "unchoke tune status shows them; unchoke tune revert --force restores the old values all the same"
}

// Undo is what taking changes back came to.
type Undo struct {
	Reason string        `json:"reason"` // why it was done
	Took   []tune.Change `json:"took"`   // that stood, the latest first
	Left   []Left        `json:"left"`
}

// Revert takes every change back that stands, of all rounds. Where a value is
// neither ours nor the old one, it touches nothing and returns a *DriftError,
// unless force is set: then that one is restored as well.
func (t *Tuner) Revert(ctx context.Context, force bool) (Undo, error) {
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return Undo{}, err
	}
	defer unlock()
	s := j.State()
	if s.Phase == journal.Idle {
		return Undo{}, nil
	}
	for _, step := range s.Steps {
		if err := t.Host.Writable(step.Kind, step.Key); err != nil && !step.Undone {
			return Undo{}, refuse(err)
		}
	}
	if !force && s.Phase == journal.Kept {
		items, err := t.items(s)
		if err != nil {
			return Undo{}, err
		}
		var drifted []Item
		for _, i := range items {
			if i.State == Changed {
				drifted = append(drifted, i)
			}
		}
		if len(drifted) > 0 {
			return Undo{}, &DriftError{drifted}
		}
	}
	return t.takeBack(j, 0, "asked for", force)
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
	_, err = t.takeBack(j, from(s), "not confirmed in time", false)
	return true, err
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
	undo, err := t.takeBack(j, from(s), why, false)
	return &undo, err
}

func (t *Tuner) takeBack(j *journal.Journal, to int, reason string, force bool) (Undo, error) {
	s := j.State()
	undo := Undo{Reason: reason}
	for i := len(s.Steps) - 1; i >= to; i-- {
		if !s.Steps[i].Undone {
			undo.Took = append(undo.Took, s.Steps[i].Change)
		}
	}
	timer := s.Timer
	var err error
	if undo.Left, err = t.undo(j, to, reason, force); err != nil {
		return undo, err
	}
	if timer != nil {
		t.disarm(*timer)
	}
	return undo, nil
}

// undo takes the steps from one on back, the latest first. What cannot be taken
// back now stays in the journal, for the next run.
func (t *Tuner) undo(j *journal.Journal, to int, reason string, force bool) ([]Left, error) {
	if s := j.State(); s.Phase != journal.Undoing || s.UndoTo != to {
		if err := t.write(j, journal.Event{Kind: journal.BeganUndo, To: to, Reason: reason}); err != nil {
			return nil, err
		}
	}
	if err := t.settle(j); err != nil {
		return nil, err
	}
	var left []Left
	var failed []error
	for _, i := range undoOrder(j.State().Steps, to) {
		why, err := t.undoOne(j, i, force)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if why != "" {
			left = append(left, Left{j.State().Steps[i].Change, why})
		}
		if err := t.write(j, journal.Event{Kind: journal.Undone, Step: i, Left: why}); err != nil {
			return left, err
		}
	}
	if len(failed) > 0 {
		return left, hint(fmt.Errorf("take changes back: %w", errors.Join(failed...)), "unchoke tune revert goes on where this stopped")
	}
	return left, t.write(j, journal.Event{Kind: journal.Closed})
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

// undoOne takes one step back. why is not empty where it had to be left.
func (t *Tuner) undoOne(j *journal.Journal, i int, force bool) (why string, err error) {
	s := j.State().Steps[i]
	if s.Kind == tune.File {
		// A crash may have left the file under its other name.
		if err := disk.Discard(t.Disk, s.Key); err != nil {
			return "", err
		}
	}
	have, err := t.Host.Read(s.Kind, s.Key)
	switch {
	case err != nil:
		return "", err
	case holds(s.Kind, s.Key, s.Old, have):
		return "", nil
	case gone(s, have):
		return "it is gone", nil
	case !ours(s, t.Boot, have) && !force:
		return "somebody made it " + text(have), nil
	}
	if err := t.restore(j, s.Change); err != nil {
		if isDir(s.New) && errors.Is(err, syscall.ENOTEMPTY) {
			return "other files are in it", nil
		}
		return "", err
	}
	if have, err = t.Host.Read(s.Kind, s.Key); err != nil {
		return "", err
	}
	if holds(s.Kind, s.Key, s.Old, have) {
		return "", nil
	}
	if s.Kind == tune.Module {
		return "it is in use", nil
	}
	return "", fmt.Errorf("restore %s to %s: it is %s now", s.Key, text(s.Old), text(have))
}

// restore writes an old value, and has in the journal what is changed for a
// moment on the way there.
func (t *Tuner) restore(j *journal.Journal, c tune.Change) error {
	borrowed, err := t.Host.Borrows(c.Kind, c.Key, c.Old)
	if err != nil {
		return err
	}
	for _, key := range borrowed {
		have, err := t.Host.Read(tune.Sysctl, key)
		if err != nil {
			return err
		}
		if err := t.write(j, journal.Event{Kind: journal.Lent, Key: key, Value: have}); err != nil {
			return err
		}
	}
	err = t.Host.Write(c.Kind, c.Key, c.Old)
	for _, key := range borrowed {
		err = errors.Join(err, t.write(j, journal.Event{Kind: journal.Returned, Key: key}))
	}
	return err
}

// settle returns what a crash left lent.
func (t *Tuner) settle(j *journal.Journal) error {
	for key, value := range j.State().Loans {
		have, err := t.Host.Read(tune.Sysctl, key)
		if err != nil {
			return err
		}
		if have != nil && *have != value {
			if err := t.Host.Write(tune.Sysctl, key, &value); err != nil {
				return err
			}
		}
		if err := t.write(j, journal.Event{Kind: journal.Returned, Key: key}); err != nil {
			return err
		}
	}
	return nil
}

func isDir(value *string) bool {
	v, err := tune.Decode[tune.FileValue](value)
	return err == nil && v != nil && v.Dir
}
