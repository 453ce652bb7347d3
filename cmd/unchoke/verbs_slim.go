//go:build slim

package main

import (
	"context"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/cmd/unchoke/internal/measurecmd"
	"unchoke/cmd/unchoke/internal/watchcmd"
	farend "unchoke/internal/session"
)

// verbs are the commands, in the order in which the help lists them.
var verbs = []func(*cli.App) *command.Command{
	measurecmd.NewSmallCheck,
	cli.Absent("predict"),
	cli.Absent("ab"),
	watchcmd.New,
	cli.Absent("lab"),
	measurecmd.NewRecord,
	newServeCommand,
	newSessionCommand,
	cli.Absent("tune"),
	cli.Absent("fleet"),
	cli.Absent("completion"),
	newManualCommand,
	newVersionCommand,
}

// sessionTuner is nil: this build does not tune.
var sessionTuner func(context.Context, farend.Tune) (farend.Tuned, error)

// sessionDoes: nothing beside what all builds know.
var sessionDoes []string

// completeValues does nothing: no shell asks this build for completions.
func completeValues(*command.Command) {}

// takeOver returns: no lab starts this program.
func takeOver() {}
