package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/record"
	"unchoke/internal/remote"
	farend "unchoke/internal/session"
)

// newSessionCommand makes the far end of a session: what `unchoke check
// ssh://far` runs there. It is no command for people, and the help leaves it
// out.
func newSessionCommand(a *cli.App) *command.Command {
	var delivered bool
	cmd := &command.Command{
		Use:    "session",
		Short:  "be the far end of a check over SSH: reads requests, writes answers",
		Hidden: true,
		Args:   command.NoArgs,
		RunE: func(cmd *command.Command, _ []string) error {
			if delivered {
				if err := remote.RemoveSelf(); err != nil {
					return err
				}
			}
			return serveSession(cmd.Context(), a)
		},
	}
	cmd.Flags().BoolVar(&delivered, "delivered", false, "this program was brought for this session: remove its file and directory first")
	return cmd
}

// serveSession serves the near end on the standard streams until it is done.
func serveSession(ctx context.Context, a *cli.App) error {
	// A near end that is gone ends the session, and does not kill it: what it
	// changes here is taken back first.
	signal.Ignore(syscall.SIGPIPE)
	return farend.Far{Version: cli.ProgramVersion(), Check: checkFromHere, Tune: sessionTuner}.Run(ctx, a.Stdin, a.Stdout)
}

// checkFromHere checks a target for the near end, which keeps the record.
func checkFromHere(ctx context.Context, q farend.Check, progress func(share float64, what string)) (*record.Run, error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return usecase.Check(ctx, usecase.CheckRequest{
		Request: request.Request{Target: q.Target, Family: request.Family(q.Family), Token: q.Token, Version: cli.ProgramVersion()},
		Quick:   q.Quick, Budget: seconds(q.Budget), Wait: seconds(q.Wait), CC: q.CC,
		Progress: progress,
	})
}
