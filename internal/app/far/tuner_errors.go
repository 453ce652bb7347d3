package far

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"unchoke/internal/fleet"
	"unchoke/internal/hint"
	"unchoke/internal/remote"
	"unchoke/internal/session"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// TuneError is why a verb of tune failed on another host.
type TuneError struct {
	Err    error
	kind   error // fleet.ErrRefused, fleet.ErrReverted or fleet.ErrLost; nil for others
	status int   // of exit
	hint   string
}

func (e *TuneError) Error() string { return e.Err.Error() }
func (e *TuneError) Unwrap() error { return e.Err }

// Is finds what kind of failure it is.
func (e *TuneError) Is(target error) bool { return e.kind != nil && target == e.kind }

// Hint is the next step.
func (e *TuneError) Hint() string { return e.hint }

// ExitStatus is that of the verb there.
func (e *TuneError) ExitStatus() int { return e.status }

// tuneFailed is the exit status of what failed for any other reason than those that
// package outcome has one for.
const tuneFailed = 1

// failed is the error of a verb by its exit status, and nil where its document
// tells all.
func (f *Tuner) failed(verb string, t session.Tuned) error {
	told := t.Status == 0 || verb == "plan" && (t.Status == outcome.ExitPending || t.Status == outcome.ExitRefused && t.Output != "") || verb == "verify" && t.Status == outcome.ExitWrong
	if told {
		return nil
	}
	what, next := failureIn(t.Errors)
	if what == "" {
		what = fmt.Sprintf("unchoke tune %s ended with status %d there", verb, t.Status)
	}
	e := &TuneError{Err: fmt.Errorf("%s: %s", f.name, what), status: t.Status, hint: f.next(next)}
	switch t.Status {
	case outcome.ExitReverted:
		e.kind = fleet.ErrReverted
	case outcome.ExitRefused:
		e.kind = fleet.ErrRefused
	default:
		e.status = tuneFailed
	}
	return e
}

// next is a next step there as one takes it from here.
func (f *Tuner) next(hint string) string {
	if strings.HasPrefix(hint, "run it as root (sudo)") {
		return "--become runs it there by sudo; or log in as root: ssh://root@" + f.target.Host
	}
	return tuneCommand.ReplaceAllStringFunc(hint, func(command string) string {
		return f.Command(strings.TrimPrefix(command, "unchoke tune "))
	})
}

var tuneCommand = regexp.MustCompile(`\bunchoke tune (plan|apply|try|confirm|verify|status|revert)\b`)

// failureIn finds the error and its hint in what a verb wrote to standard error.
func failureIn(said string) (what, next string) {
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if text, ok := strings.CutPrefix(line, "unchoke: "); ok && !strings.HasPrefix(text, "warning: ") {
			what, next = text, ""
		} else if text, ok := strings.CutPrefix(line, "hint: "); ok {
			next = text
		}
	}
	return what, next
}

func warningsIn(said string) (out []string) {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "unchoke: warning: "); ok {
			out = append(out, text)
		}
	}
	return out
}

// lost is the error of a session that ended while a verb ran.
func (f *Tuner) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &TuneError{Err: context.Cause(ctx), kind: fleet.ErrLost, status: tuneFailed}
	}
	if !errors.Is(err, session.ErrLost) {
		return &TuneError{Err: fmt.Errorf("%s: %w", f.name, err), status: tuneFailed, hint: "its own unchoke may be older: --far-binary names another"}
	}
	return &TuneError{Err: f.host.Explain(err), kind: fleet.ErrLost, status: tuneFailed, hint: "what was tried there is taken back by its timer; " + f.Command("status")}
}

// unreached is the error of a session that did not begin: nothing was touched.
func (f *Tuner) unreached(ctx context.Context, err error) error {
	e := &TuneError{Err: err, kind: fleet.ErrLost, status: tuneFailed, hint: hint.Of(err)}
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case errors.Is(err, remote.ErrRights), errors.Is(err, remote.ErrNone):
		e.kind, e.status = fleet.ErrRefused, outcome.ExitRefused
	}
	return e
}

// ErrFarDocument says that a far host's document is none that a verb prints.
var ErrFarDocument = errors.New("what came back is no document of unchoke tune")

// ReadTuned reads a document of a verb, and checks what reports rely on.
func ReadTuned(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %w", ErrFarDocument, err)
	}
	fine := false
	switch d := into.(type) {
	case *tune.Plan:
		fine = d.Schema == tune.PlanSchema && d.Root == ""
	case *outcome.Outcome:
		fine = d.Schema == outcome.OutcomeSchema && (d.Result != outcome.WasTried || d.Token != "" && d.Deadline != nil)
	case *outcome.Status:
		fine = d.Schema == outcome.StatusSchema && (d.Phase != outcome.Tried || d.Deadline != nil)
	case *outcome.Verification:
		fine = d.Schema == outcome.VerificationSchema
	}
	if !fine {
		return ErrFarDocument
	}
	return nil
}
