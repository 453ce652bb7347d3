package language

import (
	"fmt"
	"strings"
	"unicode"
)

// place is where in a file something stands.
type place struct {
	file         string
	line, column int    // from 1; the column counts characters
	text         string // the line
}

// FileError says what is wrong where in a sweep file.
type FileError struct {
	File         string
	Line, Column int    // from 1; the column counts characters
	Text         string // the line
	Problem      string
	Allowed      string // what would have been right; may be empty
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// Hint says what is allowed.
func (e *FileError) Hint() string { return e.Allowed }

// Pointer is the line with a caret beneath the offending place. What a terminal
// would act on is shown as the replacement character.
func (e *FileError) Pointer() string {
	var indent strings.Builder
	for i, r := range []rune(e.Text) {
		if i >= e.Column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		indent.WriteRune(r)
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, e.Text)
	return text + "\n" + indent.String() + "^"
}

func (p place) errorf(allowed, format string, args ...any) error {
	return &FileError{p.file, p.line, p.column, p.text, fmt.Sprintf(format, args...), allowed}
}
