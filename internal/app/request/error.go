package request

import (
	"fmt"

	"unchoke/internal/hint"
)

// Error is a request that cannot be done as it stands. Next is the next step;
// where it is empty, that of Err counts.
type Error struct {
	Err  error
	Next string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Hint is the next step; empty where there is none.
func (e *Error) Hint() string {
	if e.Next != "" {
		return e.Next
	}
	return hint.Of(e.Err)
}

// Refuse is an Error with the next step, "" for none.
func Refuse(next, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), next}
}
