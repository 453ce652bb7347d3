package words

import (
	"fmt"
	"strings"
)

// Error says what is wrong where in a text.
type Error struct {
	What    string // that the text describes, such as a path
	Text    string // the whole
	Offset  int    // of the offending part, in bytes
	Length  int    // of the offending part, in bytes
	Problem string
	Allowed string // what would have been right
}

// Error is one line; Pointer draws the place.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s at character %d", e.What, e.Problem, e.Offset+1)
}

// Pointer is the text with carets beneath the offending part.
func (e *Error) Pointer() string {
	return e.Text + "\n" + strings.Repeat(" ", e.Offset) + strings.Repeat("^", max(e.Length, 1))
}

// Hint says what is allowed.
func (e *Error) Hint() string { return e.Allowed }
