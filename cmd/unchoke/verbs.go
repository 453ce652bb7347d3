//go:build !slim

package main

import (
	"github.com/spf13/cobra"

	checkreport "unchoke/internal/report/check"
)

// slim: this is the build of verbs_slim.go.
const slim = false

// verbs are the commands, in the order in which the help lists them.
var verbs = []func(*app) *cobra.Command{
	newCheckCommand,
	newPredictCommand,
	newABCommand,
	newWatchCommand,
	newLabCommand,
	newRecordCommand,
	newServeCommand,
	newSessionCommand,
	newTuneCommand,
	newCompletionCommand,
	newManualCommand,
	newVersionCommand,
}

// recordVerbs are those of record.
var recordVerbs = []func(*app) *cobra.Command{
	newRecordListCommand,
	newRecordShowCommand,
	newRecordCalibrationCommand,
}

// newWatchExtras are all that watch can do beside what it shows.
func newWatchExtras() []watchExtra {
	return []watchExtra{
		&watchPrometheus{},
		&watchWeb{},
	}
}

// checkPage shows a check as a page.
func (a *app) checkPage() (func(checkreport.Report) error, error) {
	return func(c checkreport.Report) error { return c.HTML(a.stdout) }, nil
}
