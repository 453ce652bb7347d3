//go:build slim

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"unchoke/internal/app/request"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/record"
	farend "unchoke/internal/session"
)

// slim: a router has 8 MB of flash and 64 MB of memory. What this build has
// needs neither templates nor net/http nor the lab.
const slim = true

// verbs are the commands, in the order in which the help lists them.
var verbs = []func(*app) *cobra.Command{
	newSmallCheckCommand,
	absent("predict"),
	absent("ab"),
	newWatchCommand,
	absent("lab"),
	newRecordCommand,
	newServeCommand,
	newSessionCommand,
	absent("tune"),
	absent("fleet"),
	newCompletionCommand,
	newManualCommand,
	newVersionCommand,
}

// recordVerbs are those of record.
var recordVerbs = []func(*app) *cobra.Command{
	newRecordListCommand,
	newRecordShowCommand,
	absent("calibration"),
}

// newSmallCheckCommand is check, whose help says what is not in this build.
func newSmallCheckCommand(a *app) *cobra.Command {
	cmd := newCheckCommand(a)
	cmd.Long += `

This is the slim build: it has no ssh:// targets, URLs, --from and copies in the
lab.`
	return cmd
}

// missing is the error of what is not in this build.
func missing(what string) error {
	return withHint(usage(fmt.Errorf("this is the slim build: it lacks %s", what)),
		"the full build of unchoke has it; it reads what `unchoke record show last --json` writes here")
}

// absent is a verb that says so, whatever it is given.
func absent(name string) func(*app) *cobra.Command {
	return func(*app) *cobra.Command {
		return &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(cmd *cobra.Command, _ []string) error { return missing(cmd.CommandPath()) },
		}
	}
}

// newWatchExtras are flags that say what is missing.
func newWatchExtras() []watchExtra {
	return []watchExtra{
		&absentExtra{flag: "web"}, &absentExtra{flag: "open"},
		&absentExtra{flag: "prometheus"}, &absentExtra{flag: "prometheus-top"}, &absentExtra{flag: "prometheus-sets"},
	}
}

// absentExtra is something beside a watch that this build lacks.
type absentExtra struct{ flag, value string }

func (x *absentExtra) flags(flags *pflag.FlagSet) {
	flags.StringVar(&x.value, x.flag, "", "not in the slim build")
	_ = flags.MarkHidden(x.flag)
}

func (x *absentExtra) open(*app) (func(*live.Snapshot), func(context.Context) error, error) {
	if x.value == "" {
		return nil, nil, nil
	}
	return nil, nil, missing("watch --" + x.flag)
}

// terminalView: a watch is always text here.
func (f watchFlags) terminalView(*app, table.Order, table.By, string, *watching.Tape) (watchView, bool) {
	return watchView{}, false
}

// viewable is a report that this build can show: it has no pages.
type viewable interface{ written }

// page refuses one.
func page[R viewable](*app) (func(R) error, error) {
	return nil, missing("HTML reports")
}

// reportComparison has only the record to offer.
func (a *app) reportComparison(*record.Comparison, formFlags) error {
	return withHint(errors.New("this is the slim build: it lacks reports of comparisons"), "--json prints the record; the full build of unchoke reports it")
}

// weigh does nothing: there is no lab to try remedies in.
func weigh(context.Context, request.Request, *record.Run, request.Progress) {}

// hintAtPrediction does nothing: this build cannot predict.
func (a *app) hintAtPrediction(*record.Run) {}

// sessionTuner is nil: this build does not tune.
var sessionTuner func(context.Context, farend.Tune) (farend.Tuned, error)

// sessionDoes: nothing beside what all builds know.
var sessionDoes []string

// takeOver returns: no lab starts this program.
func takeOver() {}
