//go:build !slim

package tunecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	"unchoke/internal/tune/outcome"
)

func newConfirmCommand(a *cli.App) *cobra.Command {
	var f actFlags
	var on onFlags
	cmd := &cobra.Command{
		Use:   "confirm TOKEN",
		Short: "keep the changes of a trial",
		Long: `Confirm keeps the changes that "unchoke tune try" made: until the next reboot, or
for good if the trial was started with --persist. Only the token that it printed
confirms them, once. Without --persist, "unchoke tune apply" afterwards makes them
permanent.

Exit status: 0 done, 1 no such trial, its time is over or a wrong token, 2 wrong
usage, 6 not by this user, or another "unchoke tune" runs.`,
		Args: cli.OneArgument("the TOKEN that \"unchoke tune try\" printed"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if on.on != "" {
				return tuneError(onFar(a, on, stateThere(cmd, f), func(there *far.Tuner) error {
					o, err := there.ConfirmAll(cmd.Context(), args[0])
					if err != nil {
						return err
					}
					return showOutcome(a, o, f)
				}))
			}
			t, err := f.tuner()
			if err != nil {
				return err
			}
			made, err := t.Confirm(cmd.Context(), args[0])
			if err != nil {
				return tuneError(err)
			}
			if made != nil {
				return showOutcome(a, outcome.Outcome{Result: outcome.Applied, Changes: made}, f)
			}
			return showOutcome(a, outcome.Outcome{Result: outcome.Confirmed}, f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	on.add(cmd)
	return cmd
}
