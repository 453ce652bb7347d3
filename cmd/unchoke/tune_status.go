package main

import (
	planreport "unchoke/internal/report/plan"

	"github.com/spf13/cobra"
)

func newTuneStatusCommand(a *app) *cobra.Command {
	var f actFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show what was changed on this host, and what became of it",
		Long: `Status lists every change that stands, and whether the host still has it so
(held), has what was there before (back), or something else (changed, gone). It
changes nothing.

Exit status: 0 done, 1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t, err := f.tuner()
			if err != nil {
				return err
			}
			status, err := t.Status()
			if err != nil {
				return tuneError(err)
			}
			if f.json {
				return a.printJSON(status)
			}
			return planreport.StatusText(a.stdout, status, a.style())
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	return cmd
}
