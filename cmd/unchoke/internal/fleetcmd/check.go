//go:build !slim

package fleetcmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/rollout"
	fleetreport "unchoke/internal/report/fleet"
)

func newCheckCommand(a *cli.App) *cobra.Command {
	var f hostFlags
	var mesh bool
	var budget time.Duration
	cmd := &cobra.Command{
		Use:   "check [HOST]...",
		Short: "measure the paths of many hosts: who reaches whom how fast, and why not",
		Long: `Check measures the path from this host to each of the others, one after the
other, and says for each direction what one stream carries and what limits it.
With --mesh each host measures the path to each other one; paths that share a
host, a jump host or a line (the inventory's variable unchoke_link) wait for each
other. It makes quick checks, and keeps their records here for "unchoke fleet
plan".

` + hostsHelp + `

Exit status: 0 done, 1 a path could not be measured, 2 wrong usage.`,
		Example: `  unchoke fleet check web1 web2 db1
  unchoke fleet check --hosts inventory.yml --limit 'europe,!db*'
  unchoke fleet check --hosts hosts.txt --mesh --format html > mesh.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkAll(cmd.Context(), a, args, f, mesh, budget)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&mesh, "mesh", false, "measure between all pairs of hosts")
	cmd.Flags().DurationVar(&budget, "budget", 0, "let each check take `TIME` (default: that of a quick check)")
	return cmd
}

func checkAll(ctx context.Context, a *cli.App, names []string, f hostFlags, mesh bool, budget time.Duration) error {
	show, err := cli.View[fleetreport.Check](a, f.FormFlags)
	if err != nil {
		return err
	}
	hosts, err := f.read(a, names)
	if err != nil {
		return err
	}
	request, err := f.request()
	if err != nil {
		return err
	}
	began := time.Now()
	bar := a.StartProgress("check the fleet")
	survey, failed := rollout.Check(ctx, rollout.CheckRequest{
		CheckRequest: usecase.CheckRequest{Request: request, Quick: true, Budget: budget, Wait: 10 * time.Second, Progress: bar.Set},
		Hosts:        hosts, Mesh: mesh,
	})
	bar.Done()
	if len(survey.Paths) == 0 && failed != nil {
		return failed
	}
	if err := show(fleetreport.NewCheck(survey, cli.ProgramVersion(), began)); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	for _, p := range survey.Paths {
		if p.Error != "" {
			return cli.StatusError(1)
		}
	}
	return nil
}
