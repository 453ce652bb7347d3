package journal

import (
	"fmt"
	"strings"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Phase is what a journal says is going on.
//
//	Idle ──begin──▶ Trying ──tried──▶ Tried ──kept──▶ Kept ──begin──▶ Trying
//	                   │                │ └─persist─▶ Persisting ─kept─▶ Kept
//	                   └────undoing─────┴──────┬──────────┘       │
//	                                        Undoing ◀───undoing───┘
//	                                           └─closed─▶ Idle, or Kept where
//	                                                      earlier rounds stand
type Phase = outcome.Phase

// The phases.
const (
	Idle       = outcome.Idle
	Trying     = outcome.Trying
	Tried      = outcome.Tried
	Persisting = outcome.Persisting
	Kept       = outcome.Kept
	Undoing    = outcome.Undoing
)

// State is what the events add up to.
type State struct {
	Phase Phase
	Steps []Step // in the order in which they were made
	Mark  int    // the steps from this one on are not kept yet
	Last  Begin  // the latest round, without its changes
	Time  time.Time
	Timer *Timer // of the latest round

	UndoTo int    // Undoing: the steps from this one on
	UndoIn string // Undoing: the latest boot in which it went on
	Reason string // Undoing
	Loans  map[string]Loan
}

// after is the state with one more event.
func (s State) after(e Event) (State, error) {
	misplaced := func() (State, error) {
		return s, fmt.Errorf("%q while %s", e.Kind, s.Phase)
	}
	inRound := s.Phase == Trying || s.Phase == Tried || s.Phase == Persisting
	s.Time = e.Time
	switch e.Kind {
	case Began:
		if s.Phase != Idle && s.Phase != Kept || e.Begin == nil {
			return misplaced()
		}
		if err := e.Begin.check(); err != nil {
			return s, err
		}
		s.Phase, s.Mark, s.Timer = Trying, len(s.Steps), nil
		s.Last = *e.Begin
		s.Last.Changes = nil
		steps := append([]Step(nil), s.Steps...)
		for _, c := range e.Begin.Changes {
			steps = append(steps, Step{Change: c.Named(), Boot: e.Begin.Boot, Netns: e.Begin.Netns})
		}
		s.Steps = steps
	case Armed:
		if s.Phase != Trying {
			return misplaced()
		}
		s.Timer = e.Timer
	case Parted:
		first := s.Mark
		if s.Phase == Undoing {
			first = s.UndoTo
		}
		if !inRound && s.Phase != Undoing || e.Step < first || e.Step >= len(s.Steps) ||
			s.Steps[e.Step].Kind != tune.Qdisc || e.Before == nil || e.After == nil {
			return misplaced()
		}
		s.step(e.Step).Part = &Part{e.Boot, *e.Before, *e.After}
	case Wrote:
		if !inRound || e.Step < s.Mark || e.Step >= len(s.Steps) {
			return misplaced()
		}
		step := s.step(e.Step)
		step.Wrote, step.Value, step.Part = true, e.Value, nil
	case WasTried:
		if s.Phase != Trying {
			return misplaced()
		}
		s.Phase = Tried
	case Persist:
		if s.Phase != Tried {
			return misplaced()
		}
		s.Phase = Persisting
	case WasKept:
		if s.Phase != Tried && s.Phase != Persisting {
			return misplaced()
		}
		s.Phase, s.Mark, s.Timer = Kept, len(s.Steps), nil
	case BeganUndo:
		if s.Phase == Idle || e.To < 0 || e.To > len(s.Steps) || s.Phase == Undoing && e.To > s.UndoTo {
			return misplaced()
		}
		for _, i := range e.Found {
			if i < 0 || i >= len(s.Steps) {
				return misplaced()
			}
			s.step(i).FoundIn = e.Boot
		}
		s.Phase, s.UndoTo, s.UndoIn, s.Reason = Undoing, e.To, e.Boot, e.Reason
	case Lent:
		if !inRound && s.Phase != Undoing || e.Value == nil || e.Key != lendable {
			return misplaced()
		}
		s.Loans = map[string]Loan{e.Key: {e.Boot, *e.Value, e.New}}
	case Returned:
		if _, lent := s.Loans[e.Key]; !lent {
			return misplaced()
		}
		s.Loans = nil
	case Undone:
		if s.Phase != Undoing || e.Step < s.UndoTo || e.Step >= len(s.Steps) {
			return misplaced()
		}
		step := s.step(e.Step)
		step.Undone, step.Stays, step.Part = true, e.Stays, nil
	case Closed:
		if s.Phase != Undoing {
			return misplaced()
		}
		s.Steps, s.Timer = standing(s.Steps, s.UndoTo), nil
		s.Mark = len(s.Steps)
		s.Phase = Kept
		if len(s.Steps) == 0 {
			s.Phase = Idle
		}
	default:
		return s, fmt.Errorf("event %q is unknown to this version", e.Kind)
	}
	return s, nil
}

// lendable is the one key that is changed for a moment on the way.
const lendable = "net.core.default_qdisc"

// check returns nil for a round that this program can have begun.
func (b *Begin) check() error {
	if b.ID == "" || strings.Trim(b.ID, "0123456789abcdef") != "" {
		return fmt.Errorf("round %q is none of this program's", b.ID)
	}
	for _, c := range b.Changes {
		if err := c.Admissible(); err != nil {
			return err
		}
	}
	return nil
}
