//go:build !slim

package main

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/remote"
)

// newRelayCommand makes what ssh connects through where large packets vanish on
// the way to a far host. It is no command for people, and the help leaves it out.
func newRelayCommand(a *cli.App) *cobra.Command {
	var segments int
	cmd := &cobra.Command{
		Use:    remote.RelayVerb + " HOST PORT",
		Short:  "be the connection of an ssh: with segments of at most so many bytes",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return remote.Relay(cmd.Context(), segments, args[0], args[1], a.Stdin, a.Stdout, a.Stderr)
		},
	}
	cmd.Flags().IntVar(&segments, "segments", remote.SmallSegments, "bytes")
	return cmd
}
