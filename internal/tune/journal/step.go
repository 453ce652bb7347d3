package journal

import "unchoke/internal/tune"

// Step is a change that stands, or is about to.
type Step struct {
	tune.Change
	Boot  string  // of the round
	Netns uint64  // of the round; 0 where none is known
	Wrote bool    // known to be made
	Value *string // as read back then
	// Part is the message that was sent last, or was about to be, of a change
	// that is on its way.
	Part *Part
	// Undone says that it is taken back already, while others are not.
	Undone bool
	// FoundIn is the boot in which an undo began that found the file as it was
	// made; empty of all else.
	FoundIn string
	// Stays says that it could not be taken back, since somebody changed the
	// value: its old value is kept beyond the end of the undo.
	Stays bool
}

// Part is one message of several, by the shapes of the tree around it.
type Part struct {
	Boot          string
	Before, After tune.QdiscValue
}

// Loan is a sysctl's value that is another for a moment.
type Loan struct {
	Boot  string
	Value string  // as it was
	New   *string // as it is meanwhile; nil where an earlier version did not say
}

// step is one that may be changed, among steps that are no other state's.
func (s *State) step(i int) *Step {
	s.Steps = append([]Step(nil), s.Steps...)
	return &s.Steps[i]
}

// standing are the steps before one, and those after it that stay.
func standing(steps []Step, undone int) []Step {
	out := append([]Step(nil), steps[:undone]...)
	for _, step := range steps[undone:] {
		if step.Stays {
			step.Undone, step.Stays = false, false
			out = append(out, step)
		}
	}
	return out
}

// Standing are the steps that count: of several about the same thing the
// latest.
func (s State) Standing() []Step {
	var steps []Step
	for i, step := range s.Steps {
		superseded := false
		for _, later := range s.Steps[i+1:] {
			superseded = superseded || later.Kind == step.Kind && later.Key == step.Key
		}
		if !superseded && !step.Undone {
			steps = append(steps, step)
		}
	}
	return steps
}
