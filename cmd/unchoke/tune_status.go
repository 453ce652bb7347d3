//go:build !slim

package main

import (
	usecase "unchoke/internal/app"
	planreport "unchoke/internal/report/plan"

	"github.com/spf13/cobra"
)

func newTuneStatusCommand(a *app) *cobra.Command {
	var f actFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show the changes on this host and their state",
		Long: `Status lists every change in the journal and its state: held (the host has the new
value), back (it has the old one), changed (it has neither), gone (it no longer
exists) or waits (it has not been made yet). Connections that "unchoke tune live"
changed are listed with the algorithm that they have now. It changes nothing.

Exit status: 0 done, 1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t, err := f.tuner()
			if err != nil {
				return err
			}
			status, err := t.Status()
			if err == nil {
				status.Live, status.LiveElsewhere, err = usecase.LiveStatus(t.Dir)
			}
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
