package main

import (
	"github.com/spf13/cobra"
)

func newLabCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab COMMAND",
		Short: "emulated paths with the real Linux TCP stack, in virtual time",
		Long: `A lab is two hosts, near and far, with a path between them that does to packets
what its description says. It runs in a User-Mode Linux kernel of its own in
virtual time: no root, no kernel modules, nothing of this host changed.`,
		Args: knownVerb,
		RunE: requireVerb,
	}
	cmd.AddCommand(newLabExecCommand(a), newLabKernelCommand(a), newLabRunCommand(a), newLabMergeCommand(a), newLabReportCommand(a), newLabListCommand(a))
	return cmd
}
