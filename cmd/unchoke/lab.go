//go:build !slim

package main

import (
	"github.com/spf13/cobra"
)

func newLabCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab COMMAND",
		Short: "emulate paths with the real Linux TCP stack, in virtual time",
		Long: `A lab is two hosts, near and far, connected by an emulated path. It runs in its
own User-Mode Linux kernel in virtual time: no root, no kernel modules, no
change to this host.`,
		Args: knownVerb,
		RunE: requireVerb,
	}
	cmd.AddCommand(newLabExecCommand(a), newLabKernelCommand(a), newLabRunCommand(a), newLabMergeCommand(a), newLabReportCommand(a), newLabListCommand(a))
	return cmd
}
