package apply

import (
	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// Holding is what has become of a change.
type Holding string

// What may have become of one.
const (
	Held    Holding = "held"    // it is as it was made
	Back    Holding = "back"    // it is as it was before
	Changed Holding = "changed" // it is neither
	Gone    Holding = "gone"    // there is no such thing any more
	Waits   Holding = "waits"   // it is not made yet
)

// Item is a change that stands in the journal, and what the host has now.
type Item struct {
	Change tune.Change `json:"change"`
	Have   *string     `json:"have"`
	State  Holding     `json:"state"`
}

// Items compares what stands in the journal with the host.
func (t *Tuner) Items() (journal.State, []Item, error) {
	s, err := t.State()
	if err != nil {
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
		items = append(items, Item{step.Change, have, t.holding(step, have)})
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
