//go:build !slim

package tunecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
)

// Exit statuses of tune, beside those of all commands.
const (
	StatusPending     = 3 // a plan has changes to make
	StatusUnsupported = 6 // this host cannot be changed
)

func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune COMMAND",
		Short: "change this host for a measured path, and revert it exactly",
		Args:  cli.KnownVerb,
		RunE:  cli.RequireVerb,
	}
	cmd.AddCommand(
		newPlanCommand(a), newExplainCommand(a),
		newTryCommand(a), newConfirmCommand(a), newApplyCommand(a),
		newVerifyCommand(a), newStatusCommand(a), newRevertCommand(a),
		newLiveCommand(a),
	)
	return cmd
}
