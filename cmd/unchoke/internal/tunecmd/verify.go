//go:build !slim

package tunecmd

import (
	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	planreport "unchoke/internal/report/plan"

	"github.com/spf13/cobra"

	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/outcome"
)

func newVerifyCommand(a *cli.App) *cobra.Command {
	var f actFlags
	var on onFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "check whether the applied changes are in force",
		Long: `Verify reads every value that was applied, opens a new connection and asks the
kernel what it uses (over loopback, or to the route that was changed), and counts
older connections, which keep their old algorithm until they close. After a
reboot it says whether the changes persisted.

Exit status: 0 all is in force, or nothing was applied; 4 something is not;
6 it was applied in another network namespace; 1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if on.on != "" {
				return tuneError(onFar(a, on, stateThere(cmd, f), func(there *far.Tuner) error {
					v, err := there.Verify(cmd.Context())
					if err != nil {
						return err
					}
					return showVerification(a, v, f)
				}))
			}
			t, err := f.tuner()
			if err != nil {
				return err
			}
			v, err := t.Verify(apply.Kernel{})
			if err != nil {
				return tuneError(err)
			}
			return showVerification(a, v, f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	on.add(cmd)
	return cmd
}

func showVerification(a *cli.App, v outcome.Verification, f actFlags) error {
	var err error
	if f.json {
		err = a.PrintJSON(v)
	} else {
		err = planreport.VerificationText(a.Stdout, v, a.Style())
	}
	if err == nil && len(v.Wrong) > 0 {
		err = cli.StatusError(outcome.ExitWrong)
	}
	return err
}
