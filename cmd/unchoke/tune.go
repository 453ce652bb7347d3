//go:build !slim

package main

import (
	"github.com/spf13/cobra"
)

// Exit statuses of tune, beside those of all commands.
const (
	statusPending     = 3 // a plan has changes to make
	statusUnsupported = 6 // this host cannot be changed
)

func newTuneCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune COMMAND",
		Short: "change this host for a measured path, and revert it exactly",
		Args:  knownVerb,
		RunE:  requireVerb,
	}
	cmd.AddCommand(
		newTunePlanCommand(a), newTuneExplainCommand(a),
		newTuneTryCommand(a), newTuneConfirmCommand(a), newTuneApplyCommand(a),
		newTuneVerifyCommand(a), newTuneStatusCommand(a), newTuneRevertCommand(a),
		newTuneLiveCommand(a),
	)
	return cmd
}
