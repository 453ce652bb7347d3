package apply

import "unchoke/internal/tune/outcome"

// What comes of a command, under the names that this package gives it.
type (
	Outcome      = outcome.Outcome
	Left         = outcome.Left
	Undo         = outcome.Undo
	Status       = outcome.Status
	Item         = outcome.Item
	Holding      = outcome.Holding
	Verification = outcome.Verification
	Connection   = outcome.Connection
	Sockets      = outcome.Sockets
)

const (
	Held    = outcome.Held
	Back    = outcome.Back
	Changed = outcome.Changed
	Gone    = outcome.Gone
	Waits   = outcome.Waits
)
