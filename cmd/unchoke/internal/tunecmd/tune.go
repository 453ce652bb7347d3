//go:build !slim

package tunecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
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
