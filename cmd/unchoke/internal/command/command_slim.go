//go:build slim

// Package command is the command line. It is cobra; in the slim build, it is
// what of cobra the commands there need.
package command

import (
	"context"

	"unchoke/cmd/unchoke/internal/command/small"
)

type (
	Command            = small.Command
	PositionalArgs     = small.PositionalArgs
	Completion         = small.Completion
	CompletionFunc     = small.CompletionFunc
	ShellCompDirective = small.ShellCompDirective

	Flag    = small.Flag
	FlagSet = small.FlagSet
)

const ShellCompDirectiveNoFileComp = small.ShellCompDirectiveNoFileComp

var (
	NoArgs            = small.NoArgs
	NoFileCompletions = small.NoFileCompletions
	FixedCompletions  = small.FixedCompletions
	UnquoteUsage      = small.UnquoteUsage
)

// Prepare does nothing: a root is so already.
func Prepare(*Command) {}

// Execute runs the command line and tells which command that was.
func Execute(ctx context.Context, root *Command) (*Command, error) { return root.ExecuteContextC(ctx) }

// IsText says that a flag takes any text.
func IsText(f *Flag) bool { return f.IsText() }
