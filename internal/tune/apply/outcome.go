package apply

import (
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/journal"
)

// Schemas of the documents.
const (
	OutcomeSchema = "unchoke.tune.outcome/1"
	StatusSchema  = "unchoke.tune.status/1"
)

// Result is the word for what a command came to.
type Result string

// The results.
const (
	Unchanged Result = "unchanged" // there was nothing to do
	WasTried  Result = "tried"
	Confirmed Result = "confirmed"
	Applied   Result = "applied"
	Reverted  Result = "reverted"
)

// Outcome is what a command did to the host.
type Outcome struct {
	Schema string `json:"schema"`
	Result Result `json:"outcome"`
	// Changes are those that were made, or taken back.
	Changes []tune.Change `json:"changes"`
	Left    []Left        `json:"left,omitempty"`
	// Recovered is what an interrupted run had left, and was taken back first.
	Recovered *Undo `json:"recovered,omitempty"`

	// Of a trial: what confirms it, until when.
	Token    string     `json:"token,omitempty"`
	Deadline *time.Time `json:"deadline,omitempty"`

	Verification *Verification `json:"verification,omitempty"`
}

// Status is what stands on this host.
type Status struct {
	Schema string        `json:"schema"`
	Phase  journal.Phase `json:"phase"`
	// Since is when the last thing happened.
	Since    *time.Time `json:"since,omitempty"`
	Deadline *time.Time `json:"deadline,omitempty"` // of a trial
	Rebooted bool       `json:"rebooted"`           // since the changes were made
	// Interrupted says that a run was killed and the next takes back what it
	// left.
	Interrupted bool   `json:"interrupted"`
	Items       []Item `json:"items"`
}

// Status compares what stands in the journal with the host.
func (t *Tuner) Status() (Status, error) {
	s, items, err := t.Items()
	if err != nil {
		return Status{}, err
	}
	status := Status{Schema: StatusSchema, Phase: s.Phase, Items: items}
	if status.Items == nil {
		status.Items = []Item{}
	}
	if s.Phase == journal.Idle {
		return status, nil
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
