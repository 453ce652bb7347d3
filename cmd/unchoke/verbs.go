//go:build !slim

package main

import "github.com/spf13/cobra"

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
	newVersionCommand,
}
