//go:build !slim

package main

import (
	"io"
	"log"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/fleetcmd"
	"unchoke/cmd/unchoke/internal/labcmd"
	"unchoke/cmd/unchoke/internal/measurecmd"
	"unchoke/cmd/unchoke/internal/tunecmd"
	"unchoke/cmd/unchoke/internal/watchcmd"
)

// verbs are the commands, in the order in which the help lists them.
var verbs = []func(*cli.App) *cobra.Command{
	measurecmd.NewCheck,
	measurecmd.NewPredict,
	measurecmd.NewAB,
	watchcmd.New,
	labcmd.New,
	measurecmd.NewRecord,
	newServeCommand,
	newSessionCommand,
	newRelayCommand,
	tunecmd.New,
	fleetcmd.New,
	newCompletionCommand,
	newManualCommand,
	newVersionCommand,
}

// takeOver does not return in a process that a lab started to be part of it.
func takeOver() {
	log.SetOutput(io.Discard) // net/http logs what servers send
	labcmd.TakeOver()
}
