package apply

import (
	"slices"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// ended says that a reboot took back what a step made: it counted for a kernel
// that is gone, as its old value did, and no file of ours made it again.
func (t *Tuner) ended(s journal.State, step journal.Step) (bool, error) {
	underWay := step.Part != nil && step.Part.Boot == t.Boot // by force
	if step.When != tune.Now || step.Boot == t.Boot || underWay {
		return false, nil
	}
	renewed, err := t.renewed(s, step)
	return !renewed, err
}

// renewed says that a file of ours made a step's change again in this boot.
func (t *Tuner) renewed(s journal.State, step journal.Step) (bool, error) {
	for _, name := range tune.OwnFiles {
		v, err := t.atBoot(s, name)
		if err != nil {
			return false, err
		}
		if v != nil && v.Makes(step.Kind, step.Key) {
			return true, nil
		}
	}
	return false, nil
}

// atBoot is a file of ours as this boot found it: as the first round of this boot
// did, else as an undo did that began in this boot, else as it is.
func (t *Tuner) atBoot(s journal.State, name string) (*tune.FileValue, error) {
	var steps []journal.Step
	for _, step := range s.Steps {
		if step.Kind == tune.File && step.Key == name {
			steps = append(steps, step)
		}
	}
	if i := slices.IndexFunc(steps, func(f journal.Step) bool { return f.Boot == t.Boot }); i >= 0 {
		return tune.Decode[tune.FileValue](steps[i].Old)
	}
	if s.Phase == journal.Undoing && s.UndoIn == t.Boot {
		i := slices.IndexFunc(steps, func(f journal.Step) bool { return f.FoundIn == t.Boot })
		if i < 0 {
			return nil, nil
		}
		return tune.Decode[tune.FileValue](steps[i].New)
	}
	if len(steps) == 0 {
		return nil, nil // none of the rounds that stand made it
	}
	have, err := t.Host.Read(tune.File, name)
	if err != nil {
		return nil, err
	}
	return tune.Decode[tune.FileValue](have)
}

// found are the steps whose files are as they were made.
func (t *Tuner) found(s journal.State) ([]int, error) {
	var out []int
	for i, step := range s.Steps {
		if step.Kind != tune.File || step.Undone {
			continue
		}
		have, err := t.Host.Read(step.Kind, step.Key)
		if err != nil {
			return nil, err
		}
		if step.New != nil && holds(step.Kind, step.Key, step.New, have) {
			out = append(out, i)
		}
	}
	return out, nil
}
