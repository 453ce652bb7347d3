//go:build slim

package measurecmd

import (
	"context"
	"errors"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// This build reads no headers of packets, and has no web client, lab and reports of
// several places.
const rootHelp, wholeHelp, fromHelp = "", "", ""

// webFlags are none: this build has no web client.
type webFlags struct{}

func (*webFlags) add(*command.Command) {}

func (webFlags) request(string) (usecase.Web, error) { return usecase.Web{}, nil }

// fromFlags are there to say that this build does not compare places.
type fromFlags struct {
	from   []string
	rounds int
}

func (f *fromFlags) add(cmd *command.Command) {
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "not in the slim build")
	_ = cmd.Flags().MarkHidden("from")
}

func checkFrom(context.Context, *cli.App, string, checkFlags) error {
	return cli.Missing("check --from")
}

// NewSmallCheck is check, whose help says what is not in this build.
func NewSmallCheck(a *cli.App) *command.Command {
	cmd := NewCheck(a)
	cmd.Long += `

This is the slim build: it has no ssh:// targets, URLs, --from and copies in the
lab.`
	return cmd
}

// reportComparison has only the record to offer.
func reportComparison(*cli.App, *record.Comparison, cli.FormFlags) error {
	return cli.WithHint(errors.New("this is the slim build: it lacks reports of comparisons"), "--json prints the record; the full build of unchoke reports it")
}

// weigh does nothing: there is no lab to try remedies in.
func weigh(context.Context, request.Request, *record.Run, request.Progress) {}

// hintAtPrediction does nothing: this build cannot predict.
func hintAtPrediction(*cli.App, *record.Run) {}
