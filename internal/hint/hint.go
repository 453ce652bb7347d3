// Package hint gives an error its next step: what the user can do about it. The
// program prints it on a line of its own below the error.
package hint

import "errors"

// hinted is an error with its next step.
type hinted struct {
	error
	next string
}

func (e *hinted) Unwrap() error { return e.error }
func (e *hinted) Hint() string  { return e.next }

// With is err with its next step, which goes before any that err has.
func With(err error, next string) error { return &hinted{err, next} }

// Of is the next step of the first error in err's tree that may have one (a
// method Hint() string); empty where there is none.
func Of(err error) string {
	var h interface{ Hint() string }
	if !errors.As(err, &h) {
		return ""
	}
	return h.Hint()
}
