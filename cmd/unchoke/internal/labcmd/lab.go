//go:build !slim

package labcmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
)

func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab COMMAND",
		Short: "emulate paths with the real Linux TCP stack, in virtual time",
		Long: `A lab is two hosts, near and far, connected by an emulated path. It runs in its
own User-Mode Linux kernel in virtual time: no root, no kernel modules, no
change to this host.`,
		Args: cli.KnownVerb,
		RunE: cli.RequireVerb,
	}
	cmd.AddCommand(newExecCommand(a), newKernelCommand(a), newRunCommand(a), newMergeCommand(a), newReportCommand(a), newListCommand(a))
	return cmd
}
