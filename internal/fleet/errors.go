package fleet

import "errors"

// What an error of a Host's says of the state in which it left that host.
var (
	// ErrRefused: nothing was touched.
	ErrRefused = errors.New("refused")
	// ErrReverted: something failed, and everything was taken back.
	ErrReverted = errors.New("reverted")
	// ErrLost: the host was not reached, or did not answer.
	ErrLost = errors.New("the host does not answer")
)
