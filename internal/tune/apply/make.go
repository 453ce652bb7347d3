package apply

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
)

// DefaultTimeout is how long a round waits for its confirmation: long enough
// to open a new session and look.
const DefaultTimeout = 120 * time.Second

// Order is what to change, and how.
type Order struct {
	Scope   tune.Scope
	Address string // of the measured target, for the connection that verifies a route
	Changes []tune.Change
	Timeout time.Duration
	// Persist has Confirm make a trial permanent.
	Persist bool
}

// Trial is a round that waits for its confirmation.
type Trial struct {
	Round    string // its ID
	Token    string // confirms it, once
	Deadline time.Time
	Made     []tune.Change
	Timer    journal.Timer
}

// PendingError is a trial of somebody's that waits for its confirmation.
type PendingError struct{ Deadline time.Time }

func (e *PendingError) Error() string {
	return fmt.Sprintf("changes are being tried and are taken back at %s unless they are confirmed", e.Deadline.Local().Format("2006-01-02 15:04:05"))
}

// Hint is the next step.
func (e *PendingError) Hint() string {
	return "unchoke tune confirm TOKEN keeps them, unchoke tune revert takes them back now"
}

// RevertedError is a round that failed and was taken back.
type RevertedError struct {
	Cause     error
	Left      []Left
	Unwritten *UnwrittenError // nil where the journal tells so
}

func (e *RevertedError) Error() string {
	if e.Unwritten != nil {
		return fmt.Sprintf("%v; %v", e.Cause, e.Unwritten)
	}
	return fmt.Sprintf("%v; %s", e.Cause, backText(e.Left))
}

// Hint is the next step, where that is not the cause's.
func (e *RevertedError) Hint() string {
	if e.Unwritten != nil {
		return e.Unwritten.Hint()
	}
	return hint.Of(e.Cause)
}

func (e *RevertedError) Unwrap() error { return e.Cause }

// UnsureError is a value that is not the one the plan was made for.
type UnsureError struct {
	Change tune.Change
	Have   *string
}

func (e *UnsureError) Error() string {
	return fmt.Sprintf("%s is %s, and was %s when the plan was made", e.Change.Key, tune.Words(e.Change.Kind, e.Have), tune.Words(e.Change.Kind, e.Change.Old))
}

// Hint is the next step.
func (e *UnsureError) Hint() string { return "plan anew: unchoke tune plan" }

// Try makes the changes that count at once and leaves them to be confirmed.
// Where one fails, those before it are taken back and the error is a
// *RevertedError. Nothing is touched where the error is another. An order that
// persists leaves what counts from the next boot on to Confirm.
func (t *Tuner) Try(ctx context.Context, o Order) (*Trial, error) {
	if o.Persist {
		return t.try(ctx, o, o.Changes)
	}
	return t.try(ctx, o, atNow(o.Changes))
}

func atNow(changes []tune.Change) []tune.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c tune.Change) bool { return c.When != tune.Now })
}

// Apply makes all changes: at once what counts at once, what counts from the
// next boot on after check has found the first to be right. It returns what it
// made. Where anything fails, all is taken back and the error is a
// *RevertedError; nothing is touched where it is another.
//
// While check runs, nothing is locked, since it may wait for a person.
func (t *Tuner) Apply(ctx context.Context, o Order, check func(*Trial) error) (*Trial, error) {
	trial, err := t.try(ctx, o, o.Changes)
	if err != nil {
		return nil, err
	}
	failed := check(trial)
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	defer unlock()
	if s := j.State(); s.Phase != journal.Tried || s.Last.ID != trial.Round {
		return nil, &RevertedError{Cause: errors.Join(failed, errChangedMeanwhile)}
	}
	if failed == nil {
		failed = ctx.Err()
	}
	if failed == nil {
		failed = t.persist(ctx, j)
	}
	if failed != nil {
		return nil, t.fail(j, failed)
	}
	t.disarm(trial.Timer)
	return trial, nil
}

// Confirm keeps the changes that are being tried: until the next reboot, or for
// good where the trial was begun to persist; made are the changes then. Where
// those for the boot fail, all is taken back and the error is a *RevertedError.
func (t *Tuner) Confirm(ctx context.Context, token string) (made []tune.Change, err error) {
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s := j.State()
	switch {
	case s.Phase != journal.Tried || s.Last.Boot != t.Boot:
		return nil, hint.With(errors.New("confirm: no changes wait for a confirmation"), "unchoke tune status tells what was changed; unchoke tune try tries again")
	case !t.Now().Before(s.Last.Deadline):
		return nil, hint.With(fmt.Errorf("confirm: the trial's time was over at %s: its changes are being reverted", s.Last.Deadline.Local().Format(time.TimeOnly)),
			"unchoke tune status tells what is in force; unchoke tune try --timeout tries again for longer")
	case s.Last.Token == "" || !sameToken(s.Last.Token, token):
		return nil, hint.With(errors.New("confirm: this is not the token of the changes that are being tried"), "unchoke tune try printed it, to its own session only")
	}
	if err := t.here(s, nil); err != nil {
		return nil, err
	}
	timer := s.Timer
	for _, step := range s.Steps[s.Mark:] {
		if step.When == tune.Boot {
			made = changesOf(s.Steps[s.Mark:])
		}
	}
	if made != nil {
		if err := t.persist(ctx, j); err != nil {
			return nil, t.fail(j, err)
		}
	} else if err := t.write(j, journal.Event{Kind: journal.WasKept}); err != nil {
		return nil, err
	}
	if timer != nil {
		t.disarm(*timer)
	}
	return made, nil
}

func changesOf(steps []journal.Step) []tune.Change {
	var out []tune.Change
	for _, s := range steps {
		out = append(out, s.Change)
	}
	return out
}

// disarm is for tidiness: a timer whose round is kept does nothing.
func (t *Tuner) disarm(timer journal.Timer) { _ = t.Timer.Disarm(timer) }

// try begins a round of changes and makes those that count at once.
func (t *Tuner) try(ctx context.Context, o Order, changes []tune.Change) (*Trial, error) {
	if len(changes) == 0 {
		return nil, errors.New("nothing to change")
	}
	if !filepath.IsAbs(t.Dir) {
		return nil, &RefusedError{fmt.Errorf("keep the journal in %q: the timer runs in another directory and would not find it", t.Dir), "give the directory's whole name, from / on"}
	}
	// Before anything is made, the lock's file included.
	s, err := t.State()
	if err != nil {
		return nil, err
	}
	if err := t.free(s); err != nil {
		return nil, err
	}
	if err := t.ready(changes); err != nil {
		return nil, err
	}
	lock, cancel := atOnce(ctx)
	defer cancel()
	j, unlock, err := t.open(lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := t.free(j.State()); err != nil {
		return nil, err
	}
	// Again, since another run may have changed the host before this one had
	// the lock.
	if changes, err = t.complete(changes); err != nil {
		return nil, err
	}
	if err := t.ready(changes); err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	trial := &Trial{Round: t.name(), Token: t.token(), Deadline: t.Now().Add(o.Timeout).UTC(), Made: changes}
	err = t.write(j, journal.Event{Kind: journal.Began, Begin: &journal.Begin{
		ID: trial.Round, Version: t.Version, Boot: t.Boot, Netns: t.Netns, Scope: o.Scope, Address: o.Address,
		Changes: changes, Deadline: trial.Deadline, Token: hash(trial.Token),
	}})
	if err != nil {
		return nil, &RefusedError{err, "free space in " + t.Dir + " or make it writable for this user, or keep the journal elsewhere: --state DIR"}
	}
	if trial.Timer, err = t.Timer.Arm(ctx, trial.Round, o.Timeout); err != nil {
		return nil, t.unarmed(j, fmt.Errorf("arm the timer that takes the changes back: %w", err))
	}
	if err := t.write(j, journal.Event{Kind: journal.Armed, Timer: &trial.Timer}); err != nil {
		return nil, t.fail(j, err)
	}
	if err := t.makeAll(ctx, j, tune.Now); err != nil {
		return nil, t.fail(j, err)
	}
	if err := t.write(j, journal.Event{Kind: journal.WasTried}); err != nil {
		return nil, t.fail(j, err)
	}
	return trial, nil
}

// free returns nil where a round may begin.
func (t *Tuner) free(s journal.State) error {
	switch s.Phase {
	case journal.Idle, journal.Kept:
		return t.here(s, nil)
	case journal.Tried:
		return &PendingError{s.Last.Deadline}
	}
	return &RefusedError{errors.New("an earlier run was interrupted"), "unchoke tune revert takes back what it left"}
}

// persist makes what counts from the next boot on.
func (t *Tuner) persist(ctx context.Context, j *journal.Journal) error {
	if err := t.write(j, journal.Event{Kind: journal.Persist}); err != nil {
		return err
	}
	if err := t.makeAll(ctx, j, tune.Boot); err != nil {
		return err
	}
	return t.write(j, journal.Event{Kind: journal.WasKept})
}

// complete adds the directories that files need and that do not exist.
func (t *Tuner) complete(changes []tune.Change) ([]tune.Change, error) {
	var out []tune.Change
	planned := map[string]bool{}
	for _, c := range changes {
		if c.Kind == tune.File && c.New != nil {
			dirs, err := t.missing(filepath.Dir(c.Key), planned)
			if err != nil {
				return nil, err
			}
			for _, dir := range dirs {
				out = append(out, tune.Change{
					Kind: tune.File, Key: dir, When: c.When,
					New: tune.Encode(tune.FileValue{Dir: true, Mode: 0o755}),
					Why: "the place of " + filepath.Base(c.Key),
				})
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// missing are the directories from dir upwards that do not exist and are not
// planned, the highest first.
func (t *Tuner) missing(dir string, planned map[string]bool) ([]string, error) {
	var dirs []string
	for ; !planned[dir]; dir = filepath.Dir(dir) {
		_, err := t.Disk.Look(dir)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look at %s: %w", dir, err)
		}
		dirs = append(dirs, dir)
		planned[dir] = true
	}
	slices.Reverse(dirs)
	return dirs, nil
}

// ready checks everything that can be checked before anything is touched.
func (t *Tuner) ready(changes []tune.Change) error {
	for _, c := range changes {
		if err := t.Host.Writable(c.Kind, c.Key); err != nil {
			return refuse(err)
		}
		have, err := t.Host.Read(c.Kind, c.Key)
		if err != nil {
			return refuse(err)
		}
		// Its new value is no better than any other: whoever made it may take it
		// back, to what was there before this plan.
		if !holds(c.Kind, c.Key, c.Old, have) {
			return &UnsureError{c, have}
		}
		if err := restorable(c); err != nil {
			return &RefusedError{fmt.Errorf("replace the qdisc of %s: %w", c.Key, err), "--scope route:PREFIX leaves the devices as they are"}
		}
	}
	return nil
}

// restorable returns nil for a change whose old value can be made again.
func restorable(c tune.Change) error {
	if c.Kind != tune.Qdisc {
		return nil
	}
	old, err := tune.Decode[tune.QdiscValue](c.Old)
	if err != nil || old == nil {
		return errors.Join(err, errors.New("it has none"))
	}
	return old.Restorable()
}

// RefusedError is a change that this process may not make.
type RefusedError struct {
	Err  error
	hint string
}

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *RefusedError) Hint() string { return e.hint }

// Refused says that err came before anything was touched: this run may not, or
// the host is not as the plan was made for.
func Refused(err error) bool {
	_, refused := errors.AsType[*RefusedError](err)
	_, unsure := errors.AsType[*UnsureError](err)
	_, pending := errors.AsType[*PendingError](err)
	_, drifted := errors.AsType[*DriftError](err)
	_, untrusted := errors.AsType[*journal.UntrustedError](err)
	_, elsewhere := errors.AsType[*ElsewhereError](err)
	_, reverted := errors.AsType[*RevertedError](err)
	return !reverted && (refused || unsure || pending || drifted || untrusted || elsewhere || errors.Is(err, journal.ErrBusy))
}

func refuse(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &RefusedError{err, "run it as root (sudo); in a container, on the container's host"}
	case readOnly(err):
		return &RefusedError{err, "what is mounted read-only is changed by whoever mounts it: on a container's host, or in the image (unchoke tune plan --root)"}
	}
	return &RefusedError{err, "unchoke tune plan says what this host has"}
}

// expected returns nil where a change finds its old value, or its new one, which
// a change before it in the round brought about: the kernel lists a new default
// among the allowed.
func (t *Tuner) expected(c tune.Change) error {
	have, err := t.Host.Read(c.Kind, c.Key)
	if err != nil {
		return err
	}
	if !holds(c.Kind, c.Key, c.Old, have) && !holds(c.Kind, c.Key, c.New, have) {
		return &UnsureError{c, have}
	}
	return nil
}

// makeAll makes the changes of the round that count from a moment on.
func (t *Tuner) makeAll(ctx context.Context, j *journal.Journal, when tune.When) error {
	s := j.State()
	for i := s.Mark; i < len(s.Steps); i++ {
		if s.Steps[i].When != when {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.makeOne(j, i, s.Steps[i].Change); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tuner) makeOne(j *journal.Journal, step int, c tune.Change) error {
	if err := t.expected(c); err != nil {
		return err
	}
	have, err := t.Host.Read(c.Kind, c.Key)
	if err != nil {
		return err
	}
	if !holds(c.Kind, c.Key, c.New, have) {
		if err := t.backUp(j, c); err != nil {
			return err
		}
		if err := t.set(j, step, c.New); err != nil {
			return err
		}
		if have, err = t.Host.Read(c.Kind, c.Key); err != nil {
			return err
		}
		if !holds(c.Kind, c.Key, c.New, have) {
			return fmt.Errorf("set %s to %s: it is %s now", c.Key, tune.Words(c.Kind, c.New), tune.Words(c.Kind, have))
		}
	}
	return t.write(j, journal.Event{Kind: journal.Wrote, Step: step, Value: have})
}

// backUp keeps the old file beside the journal too, as a file, for a person
// without this program.
func (t *Tuner) backUp(j *journal.Journal, c tune.Change) error {
	if c.Kind != tune.File || c.Old == nil {
		return nil
	}
	v, err := tune.Decode[tune.FileValue](c.Old)
	if err != nil || v.Link != "" || v.Dir {
		return err
	}
	name := filepath.Join(t.Dir, "backup", j.State().Last.ID, c.Key)
	if err := disk.MkdirAll(t.Disk, filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := t.Disk.Create(name, disk.File{Mode: v.Mode, UID: v.UID, GID: v.GID}, v.Content, c.Key); err != nil {
		return fmt.Errorf("back %s up: %w", c.Key, err)
	}
	return t.Disk.Sync(name)
}

// fail takes the round back because of cause.
func (t *Tuner) fail(j *journal.Journal, cause error) error {
	s := j.State()
	timer := s.Timer
	left, err := t.undo(j, s.Mark, cause.Error(), Way{})
	unwritten, _ := errors.AsType[*UnwrittenError](err)
	if err != nil && unwritten == nil {
		return errors.Join(cause, err)
	}
	if timer != nil && unwritten == nil { // else it may close the journal
		t.disarm(*timer)
	}
	return &RevertedError{cause, left, unwritten}
}

// unarmed closes a round that has no timer, and of which nothing is made.
func (t *Tuner) unarmed(j *journal.Journal, cause error) error {
	err := t.fail(j, cause)
	if reverted, ok := errors.AsType[*RevertedError](err); !ok || len(reverted.Left) > 0 || reverted.Unwritten != nil {
		return err
	}
	next := hint.Of(cause)
	if next == "" {
		next = "without a timer nothing would take the changes back if this session were lost"
	}
	return &RefusedError{cause, next}
}

// name is a random name of a round.
func (t *Tuner) name() string {
	b := make([]byte, 6)
	t.Random(b)
	return hex.EncodeToString(b)
}

// backText says of what was taken back how much of it.
func backText(left []Left) string {
	if len(left) == 0 {
		return "every change is taken back"
	}
	return "the changes are taken back but for " + leftText(left)
}

func leftText(left []Left) string {
	var parts []string
	for _, l := range left {
		parts = append(parts, l.Change.Key+" ("+l.Why+")")
	}
	return strings.Join(parts, ", ")
}
