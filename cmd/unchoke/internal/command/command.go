//go:build !slim

// Package command is the command line. It is cobra; in the slim build, it is
// what of cobra the commands there need.
package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type (
	Command            = cobra.Command
	PositionalArgs     = cobra.PositionalArgs
	Completion         = cobra.Completion
	CompletionFunc     = cobra.CompletionFunc
	ShellCompDirective = cobra.ShellCompDirective

	Flag    = pflag.Flag
	FlagSet = pflag.FlagSet
)

const (
	ShellCompDirectiveNoFileComp = cobra.ShellCompDirectiveNoFileComp
	ShellCompDirectiveKeepOrder  = cobra.ShellCompDirectiveKeepOrder
)

var (
	NoArgs             = cobra.NoArgs
	NoFileCompletions  = cobra.NoFileCompletions
	FixedCompletions   = cobra.FixedCompletions
	CompletionWithDesc = cobra.CompletionWithDesc
	UnquoteUsage       = pflag.UnquoteUsage
)

// Prepare makes a root list its commands in the order in which they were added,
// and leaves the completion command to the program.
func Prepare(root *Command) {
	root.CompletionOptions.DisableDefaultCmd = true
	cobra.EnableCommandSorting = false
}

// IsText says that a flag takes any text.
func IsText(f *Flag) bool { return f.Value.Type() == "string" }
