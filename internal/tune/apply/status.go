package apply

import (
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/outcome"
)

// Items compares what stands in the journal with the host.
func (t *Tuner) Items() (journal.State, []Item, error) {
	s, err := t.State()
	if err != nil {
		return s, nil, err
	}
	if err := t.here(s, nil); err != nil {
		return s, nil, err
	}
	items, err := t.items(s)
	return s, items, err
}

func (t *Tuner) items(s journal.State) ([]Item, error) {
	var items []Item
	for _, step := range s.Standing() {
		have, err := t.Host.Read(step.Kind, step.Key)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Change: step.Change, Have: have, State: t.holding(step, have)})
	}
	return items, nil
}

func (t *Tuner) holding(s journal.Step, have *string) Holding {
	switch {
	case ours(s, t.Boot, have):
		return Held
	case holds(s.Kind, s.Key, s.Old, have):
		if !s.Wrote {
			return Waits
		}
		return Back
	case have == nil:
		return Gone
	}
	return Changed
}

// Status compares what stands in the journal with the host.
func (t *Tuner) Status() (Status, error) {
	s, items, err := t.Items()
	if err != nil {
		return Status{}, err
	}
	status := Status{Schema: outcome.StatusSchema, Phase: s.Phase, Items: items}
	if status.Items == nil {
		status.Items = []Item{}
	}
	if status.Lost, err = t.lost(s); err != nil {
		return Status{}, err
	}
	if s.Phase == journal.Idle {
		return status, nil
	}
	if s.Timer != nil {
		status.Program = s.Timer.Program
	}
	status.Since = &s.Time
	for _, step := range s.Standing() {
		status.Rebooted = status.Rebooted || step.Boot != t.Boot
	}
	switch s.Phase {
	case journal.Tried:
		status.Deadline = &s.Last.Deadline
		status.Interrupted = s.Last.Boot != t.Boot || !t.Now().Before(s.Last.Deadline)
	case journal.Trying, journal.Persisting, journal.Undoing:
		status.Interrupted = true
	}
	return status, nil
}
