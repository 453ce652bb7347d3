package fleet

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"unchoke/internal/fleet/inventory"
	"unchoke/internal/tune"
)

// RolloutSchema names this version of the document, which is a rollout's file,
// too.
const RolloutSchema = "unchoke.fleet.rollout/1"

// Rollout is one change on its way to many hosts.
type Rollout struct {
	Schema   string    `json:"schema"`
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Version  string    `json:"version"` // of unchoke
	Settings Settings  `json:"settings"`
	Entries  []*Entry  `json:"hosts"`
	// Batch is the one that is under way, from 0; Batches are their sizes.
	Batch   int   `json:"batch"`
	Batches []int `json:"batches"`
	// Begun says that the preflight let it begin.
	Begun bool  `json:"begun"`
	Halt  *Halt `json:"halt,omitempty"`
	Done  bool  `json:"done"`
}

// Settings are what was asked of a rollout.
type Settings struct {
	Scope   tune.Scope  `json:"scope"`
	Remedy  tune.Remedy `json:"remedy"`
	Resolve bool        `json:"resolve,omitempty"`
	Despite bool        `json:"despite_conflicts,omitempty"`
	// SkipRefused goes on without the hosts that the preflight refused.
	SkipRefused bool    `json:"skip_refused,omitempty"`
	Batch       string  `json:"batch"` // as ParseBatches reads it
	Timeout     float64 `json:"timeout_s"`
	// Rounds are the measurements of each direction before and after a host is
	// changed; 0 measures nothing.
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"` // of each
}

// Entry is one host of a rollout.
type Entry struct {
	Host string `json:"host"`
	// At is how SSH reaches it.
	At      inventory.Host `json:"at"`
	Batch   int            `json:"batch"` // from 0
	Stage   Stage          `json:"stage"`
	Facts   *Facts         `json:"facts,omitempty"`
	Verdict *Verdict       `json:"verdict,omitempty"`
	// Measured is the path that the plan is for, where there was a record of one.
	Measured *tune.Measured `json:"measured,omitempty"`
	Plan     *tune.Plan     `json:"plan,omitempty"`
	Before   *Rates         `json:"before,omitempty"`
	After    *Rates         `json:"after,omitempty"`
	Gains    []Gain         `json:"gains,omitempty"`
	// Since is what one stream carried after a revert, where it was measured.
	Since *Rates `json:"after_revert,omitempty"`
	// Error is what failed last.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
	// Deadline is when the host's own timer takes back what is not confirmed.
	Deadline *time.Time `json:"deadline,omitempty"`

	token string // confirms the trial; it is in no file
	// unsure says that only the host's journal knows the stage.
	unsure bool
	busy   bool // a step is under way
}

// Halt is why a rollout stopped.
type Halt struct {
	Host  string `json:"host"`  // empty where it is no host's fault
	Batch int    `json:"batch"` // from 0; -1: before anything was touched
	Why   string `json:"why"`
	Next  string `json:"next,omitempty"`
}

// Member is a host that a rollout is to reach.
type Member struct {
	inventory.Host
	Measured *tune.Measured // of its path, nil where there is no record
}

// NewRollout begins one; nothing is known of its hosts yet.
func NewRollout(id, version string, started time.Time, s Settings, members []Member) (*Rollout, error) {
	r := &Rollout{Schema: RolloutSchema, ID: id, Version: version, Started: started, Settings: s, Batches: []int{}, Entries: []*Entry{}}
	if _, err := ParseBatches(s.Batch); err != nil {
		return nil, err
	}
	for _, m := range members {
		if r.entry(m.Name) != nil {
			return nil, fmt.Errorf("host %s is there twice", m.Name)
		}
		r.Entries = append(r.Entries, &Entry{Host: m.Name, At: m.Host, Measured: m.Measured, Stage: Waiting})
	}
	if len(r.Entries) == 0 {
		return nil, errors.New("there is no host")
	}
	return r, nil
}

// Order is what the plan of a host is made from.
func (r *Rollout) Order(e *Entry) Order {
	return Order{Scope: r.Settings.Scope, Remedy: r.Settings.Remedy, Resolve: r.Settings.Resolve, Despite: r.Settings.Despite, Measured: e.Measured}
}

func (r *Rollout) entry(host string) *Entry {
	for _, e := range r.Entries {
		if e.Host == host {
			return e
		}
	}
	return nil
}

// batch are the hosts of the one under way that are to be changed.
func (r *Rollout) batch() []*Entry {
	return slices.DeleteFunc(slices.Clone(r.Entries), func(e *Entry) bool { return e.Batch != r.Batch || e.Stage == Passed })
}

// Check returns nil for a rollout that this program can have written.
func (r *Rollout) Check() error {
	if r.Schema != RolloutSchema {
		return fmt.Errorf("its schema is %q, not %q", r.Schema, RolloutSchema)
	}
	if _, err := ParseBatches(r.Settings.Batch); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, e := range r.Entries {
		if e == nil || e.Host == "" || seen[e.Host] {
			return errors.New("a host has no name, or is there twice")
		}
		seen[e.Host] = true
		if err := e.At.Check(); err != nil {
			return err
		}
		if !slices.Contains(stages, e.Stage) {
			return fmt.Errorf("%s is at %q, which is no stage", e.Host, e.Stage)
		}
		if e.Stage != Waiting && e.Stage != Passed && e.Plan == nil {
			return fmt.Errorf("%s is %s without a plan", e.Host, e.Stage)
		}
	}
	return nil
}

var stages = []Stage{Waiting, Passed, Measured, Trying, Tried, Verified, Confirmed, Judged, Keeping, Kept, Reverting, Reverted, Adrift}
