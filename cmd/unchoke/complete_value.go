//go:build !slim

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/cli"
)

// values complete the flags of these names, which mean the same everywhere.
var values = map[string]cobra.CompletionFunc{
	"cc":    cli.CompleteCC,
	"netns": cli.CompleteNetns,
	"unit":  cli.CompleteUnit,
}

// completeValues lets the shell offer files only to flags that take one, as their
// help calls the value, in every command.
func completeValues(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, has := cmd.GetFlagCompletionFunc(f.Name); has || f.NoOptDefVal != "" {
			return
		}
		complete := values[f.Name]
		switch value, _ := pflag.UnquoteUsage(f); {
		case complete != nil:
		case value == "FILE" || value == "TREE" || value == "RECORD":
			return
		case value == "DIR":
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		default:
			complete = cobra.NoFileCompletions
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
	})
	for _, sub := range cmd.Commands() {
		completeValues(sub)
	}
}
