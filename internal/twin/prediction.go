package twin

import "unchoke/internal/record"

// Prediction is what arms would do on a measured path, before anything is
// changed.
type Prediction struct {
	Record string // its ID; empty where it was not saved
	Target string
	Twin   string // the likeliest path as text
	Ways   []Likeness
	Arms   []record.Predicted // of those directions whose copies agree
	// NotRebuilt is what the path does and no copy can, as to come and go: it is
	// not understood then, whatever else agrees.
	NotRebuilt []string
	// Left says what was not tried, and why.
	Left []string
}

// Likeness is how the copies of a direction behave beside the path.
type Likeness struct {
	Direction record.Direction
	Agrees    bool
	Compared  []Compared
}
