package apply

import (
	"errors"
	"fmt"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/tree"
)

// set gives what a step is about a value: a device's tree message by message,
// anything else at once.
func (t *Tuner) set(j *journal.Journal, step int, value *string) error {
	c := j.State().Steps[step].Change
	if c.Kind != tune.Qdisc {
		return t.Host.Write(c.Kind, c.Key, value)
	}
	want, err := tune.Decode[tune.QdiscValue](value)
	if err == nil && want == nil {
		err = errors.New("a device's qdisc can be replaced, not removed")
	}
	if err == nil {
		err = t.build(j, step, c.Key, *want)
	}
	if err != nil {
		return fmt.Errorf("set the qdisc of %s: %w", c.Key, err)
	}
	return nil
}

// build makes a device's tree. What each message finds and leaves is in the
// journal before it is sent, so that a tree half made is known for ours.
func (t *Tuner) build(j *journal.Journal, step int, device string, want tune.QdiscValue) error {
	var last *tree.Message
	for range tree.Most(want) {
		have, err := t.tree(device)
		if err != nil {
			return err
		}
		if last, err = tree.Next(have, want, last); last == nil || err != nil {
			return err
		}
		before := have.Shape()
		if err := t.write(j, journal.Event{Kind: journal.Parted, Step: step, Before: &before, After: &last.After}); err != nil {
			return err
		}
		if err := t.send(j, device, *last); err != nil {
			return err
		}
	}
	return tree.ErrEndless
}

func (t *Tuner) tree(device string) (tune.QdiscValue, error) {
	value, err := t.Host.Read(tune.Qdisc, device)
	if err != nil {
		return tune.QdiscValue{}, err
	}
	have, err := tune.Decode[tune.QdiscValue](value)
	if err == nil && have == nil {
		err = errors.New("the device is gone or down")
	}
	if err != nil {
		return tune.QdiscValue{}, err
	}
	return *have, nil
}

// send sends a message, with default_qdisc lent to what the kernel is to make by
// it. Where that does not exist, as in a network namespace, the kernel's choice
// is what it is, and the next look tells.
func (t *Tuner) send(j *journal.Journal, device string, m tree.Message) error {
	if m.Default == "" {
		return t.Host.Send(device, m)
	}
	have, err := t.Host.Read(tune.Sysctl, defaultQdisc)
	if err != nil {
		return err
	}
	if have == nil || *have == m.Default {
		return t.Host.Send(device, m)
	}
	if err := t.write(j, journal.Event{Kind: journal.Lent, Key: defaultQdisc, Value: have, New: &m.Default}); err != nil {
		return err
	}
	err = t.Host.Write(tune.Sysctl, defaultQdisc, &m.Default)
	if err == nil {
		err = t.Host.Send(device, m)
	}
	return errors.Join(err, t.settle(j))
}

// settle gives back what is lent, by this run or by one that was killed. A reboot
// did so already, and a value that somebody set meanwhile is theirs.
func (t *Tuner) settle(j *journal.Journal) error {
	for key, loan := range j.State().Loans {
		have, err := t.Host.Read(tune.Sysctl, key)
		if err != nil {
			return err
		}
		thisBoot := loan.Boot == t.Boot || loan.Boot == "" // as an earlier version wrote
		out := thisBoot && have != nil && (loan.New == nil || *have == *loan.New)
		if out && *have != loan.Value {
			if err := t.Host.Write(tune.Sysctl, key, &loan.Value); err != nil {
				return err
			}
		}
		if err := t.write(j, journal.Event{Kind: journal.Returned, Key: key}); err != nil {
			return err
		}
	}
	return nil
}
