//go:build !slim

package main

import (
	"io"

	"github.com/spf13/cobra"
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
	newFleetCommand,
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

// viewable is a report that this build can show.
type viewable interface {
	written
	HTML(w io.Writer) error
}

// page shows a report as a page.
func page[R viewable](a *app) (func(R) error, error) {
	return func(r R) error { return r.HTML(a.stdout) }, nil
}
