package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// DriftError says that values are neither what was made of them nor what they
// were before.
type DriftError struct{ Drifts []Drift }

// Drift is a step whose value somebody changed: since, or before a later round
// that then changed it again.
type Drift struct {
	Step journal.Step
	Have *string // what was found in the place of the step's value
}

func (e *DriftError) Error() string {
	var parts []string
	for _, d := range e.Drifts {
		parts = append(parts, d.Step.Key+" "+tune.Difference(d.Step.Kind, d.Step.New, d.Have))
	}
	return "changed by somebody else since: " + strings.Join(parts, "; ")
}

// Hint is the next step.
func (e *DriftError) Hint() string {
	return "unchoke tune revert --force restores the old values all the same; --except " + quoted(e.Drifts[0].Step.Key) + " leaves that one as it is; unchoke tune status shows all"
}

// quoted is a key as a shell takes it.
func quoted(key string) string {
	if strings.ContainsAny(key, " \t") {
		return "'" + key + "'"
	}
	return key
}

// drifts finds the steps that cannot be taken back without undoing somebody
// else's change. It goes back through the steps as an undo does: where one would
// restore a value that the step before it did not make, somebody changed it in
// between.
func (t *Tuner) drifts(s journal.State, except []string) ([]Drift, error) {
	var out []Drift
	at := map[string]*string{}
	for _, step := range slices.Backward(s.Steps) {
		if step.Undone || slices.Contains(except, step.Key) {
			continue
		}
		if ended, err := t.ended(s, step); ended || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		name := string(step.Kind) + " " + step.Key
		have, known := at[name]
		if !known {
			var err error
			if have, err = t.Host.Read(step.Kind, step.Key); err != nil {
				return nil, err
			}
		}
		switch {
		case holds(step.Kind, step.Key, step.Old, have):
		case gone(step, have):
		case !ours(step, t.Boot, have):
			out = append(out, Drift{step, have})
		}
		at[name] = step.Old
	}
	return out, nil
}

// mayRestore returns nil where this process may write what an undo has to.
func (t *Tuner) mayRestore(s journal.State, w Way) error {
	for _, step := range s.Steps {
		if step.Undone || slices.Contains(w.Except, step.Key) {
			continue
		}
		have, err := t.Host.Read(step.Kind, step.Key)
		if err != nil {
			return fmt.Errorf("read %s: %w", step.Key, err)
		}
		ended, err := t.ended(s, step)
		if err != nil {
			return err
		}
		if gone(step, have) || holds(step.Kind, step.Key, step.Old, have) || ended && !w.Force {
			continue
		}
		err = t.Host.Writable(step.Kind, step.Key)
		left := errors.Is(err, tune.ErrSharedRoute) || step.Kind == tune.Module && !errors.Is(err, fs.ErrPermission)
		if err != nil && !left {
			return refuse(err)
		}
	}
	return nil
}

// known returns nil where every key is one of a change that stands.
func known(s journal.State, keys []string) error {
	for _, key := range keys {
		if !slices.ContainsFunc(s.Steps, func(step journal.Step) bool { return step.Key == key && !step.Undone }) {
			return hint.With(fmt.Errorf("except %q: no change of that key stands", key), "unchoke tune status lists them")
		}
	}
	return nil
}
