//go:build !slim

package tunecmd

import (
	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	"unchoke/internal/app/live"
	planreport "unchoke/internal/report/plan"

	"github.com/spf13/cobra"

	"unchoke/internal/tune/outcome"
)

func newStatusCommand(a *cli.App) *cobra.Command {
	var f actFlags
	var on onFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show the changes on this host and their state",
		Long: `Status lists every change in the journal and its state: held (the host has the new
value), back (it has the old one), changed (it has neither), gone (it no longer
exists) or waits (it has not been made yet). Connections that "unchoke tune live"
changed are listed with the algorithm that they have now. It changes nothing.

Exit status: 0 done, 6 the changes were made in another network namespace,
1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if on.on != "" {
				return tuneError(onFar(a, on, stateThere(cmd, f), func(there *far.Tuner) error {
					status, err := there.Status(cmd.Context())
					if err != nil {
						return err
					}
					return showStatus(a, status, f)
				}))
			}
			t, err := f.tuner()
			if err != nil {
				return err
			}
			status, err := t.Status()
			if err == nil {
				status.Live, status.LiveElsewhere, err = live.Status(t.Dir)
			}
			if err == nil {
				status.LiveUnits, err = live.UnitStatus(t.Dir)
			}
			if err != nil {
				return tuneError(err)
			}
			return showStatus(a, status, f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	on.add(cmd)
	return cmd
}

func showStatus(a *cli.App, status outcome.Status, f actFlags) error {
	if f.json {
		return a.PrintJSON(status)
	}
	return planreport.StatusText(a.Stdout, status, a.Style())
}
