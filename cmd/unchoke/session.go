package main

import (
	"context"

	"github.com/spf13/cobra"

	farend "unchoke/internal/session"
)

// newSessionCommand makes the far end of a session: what `unchoke check
// ssh://far` runs there. It is no command for people, and the help leaves it
// out.
func newSessionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "session",
		Short:  "be the far end of a check over SSH: reads requests, writes answers",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.session(cmd.Context())
		},
	}
}

// session serves the near end on the standard streams until it is done.
func (a *app) session(ctx context.Context) error {
	return farend.Far{Version: programVersion()}.Run(ctx, a.stdin, a.stdout)
}
