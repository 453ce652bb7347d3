//go:build !slim

package main

import (
	planreport "unchoke/internal/report/plan"

	"github.com/spf13/cobra"

	"unchoke/internal/tune/apply"
)

func newTuneVerifyCommand(a *app) *cobra.Command {
	var f actFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "check whether the applied changes are in force",
		Long: `Verify reads every value that was applied, opens a new connection and asks the
kernel what it uses (over loopback, or to the route that was changed), and counts
older connections, which keep their old algorithm until they close. After a
reboot it says whether the changes persisted.

Exit status: 0 all is in force, or nothing was applied; 4 something is not;
1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t, err := f.tuner()
			if err != nil {
				return err
			}
			v, err := t.Verify(apply.Kernel{})
			if err != nil {
				return tuneError(err)
			}
			if f.json {
				err = a.printJSON(v)
			} else {
				err = planreport.VerificationText(a.stdout, v, a.style())
			}
			if err == nil && len(v.Wrong) > 0 {
				err = statusError(statusWrong)
			}
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	return cmd
}
