package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/request"
	"unchoke/internal/hint"
)

// Exit statuses.
const (
	StatusDone   = 0
	StatusFailed = 1
	StatusUsage  = 2
)

// StatusError ends the program with a status of its own. It is silent: what
// there was to say has been said, as by the command whose status is passed on.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exiter is an error that knows the exit status it calls for.
type exiter interface {
	error
	ExitStatus() int
}

// pointer is an error that can draw the place where its input went wrong.
type pointer interface {
	error
	Pointer() string
}

// hinted gives an error a next step.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }
func (e *hinted) Hint() string  { return e.hint }

// WithHint adds the next step to an error that has none of its own.
func WithHint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// ReportError prints an error as every command does and returns the exit status:
//
//	unchoke: what failed on what
//	    the input
//	        ^^^^^
//	hint: the next step
func ReportError(ctx context.Context, w io.Writer, cmd *command.Command, err error) int {
	if err == nil {
		return StatusDone
	}
	var status StatusError
	if errors.As(err, &status) {
		return int(status)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		_ = line(w, "unchoke: %s", inOneLine(context.Cause(ctx).Error()))
		if h, ok := errors.AsType[*hinted](err); ok { // what was kept, as a command says
			_ = line(w, "hint: %s", inOneLine(h.hint))
		}
		return StatusFailed
	}
	_ = line(w, "unchoke: %s", inOneLine(err.Error()))
	var p pointer
	if errors.As(err, &p) {
		for text := range strings.SplitSeq(p.Pointer(), "\n") {
			_ = line(w, "    %s", text)
		}
	}
	_, wrongUsage := errors.AsType[*usageError](err)
	if _, refused := errors.AsType[*request.Error](err); refused {
		wrongUsage = true
	}
	if next := hint.Of(err); next != "" {
		_ = line(w, "hint: %s", inOneLine(next))
	} else if wrongUsage {
		_ = line(w, "hint: %s --help", cmd.CommandPath())
	}
	if wrongUsage {
		return StatusUsage
	}
	var e exiter
	if errors.As(err, &e) {
		return e.ExitStatus()
	}
	return StatusFailed
}

// inOneLine keeps what is in an error from beginning a line of its own, such as
// one with a hint.
func inOneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
