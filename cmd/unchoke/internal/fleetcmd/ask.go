//go:build !slim

package fleetcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/tunecmd"
	"unchoke/internal/app/rollout"
	fleetreport "unchoke/internal/report/fleet"
	"unchoke/internal/report/render"
	"unchoke/internal/tune/outcome"
)

// asking are the texts of the verbs that ask hosts one thing.
var asking = map[string]struct{ short, long, status, example string }{
	rollout.Verify: {
		"check on many hosts whether the applied changes are in force",
		`Verify has each host read back what was applied there and open a new connection,
as "unchoke tune verify" does.`,
		`Exit status: 0 all is in force, or nothing was applied; 4 something is not, or a
host did not answer; 1 failed, 2 wrong usage.`,
		"  unchoke fleet verify --hosts inventory.yml --become",
	},
	rollout.Status: {
		"show what unchoke tune changed on many hosts, and its state",
		`Status asks each host what its journal says, as "unchoke tune status" does, and
adds the result of the newest rollout with these hosts. It changes nothing.`,
		`Exit status: 0 done, 4 a host did not answer, 1 failed, 2 wrong usage.`,
		"  unchoke fleet status web1 web2",
	},
	rollout.Revert: {
		"revert everything that unchoke tune changed on many hosts",
		`Revert makes each host revert exactly what unchoke tune changed there, as "unchoke
tune revert" does. A host on which somebody changed a value since is left as it
is, and named.`,
		`Exit status: 0 done, or nothing to revert; 4 a host was not reverted; 1 failed,
2 wrong usage.`,
		"  unchoke fleet revert --hosts inventory.yml --limit web --become",
	},
}

func newAskCommand(a *cli.App, verb string) *cobra.Command {
	var f hostFlags
	var yes bool
	text := asking[verb]
	cmd := &cobra.Command{
		Use:     verb + " [HOST]...",
		Short:   text.short,
		Long:    text.long + "\n\n" + hostsHelp + "\n\n" + text.status,
		Example: text.example,
		RunE: func(cmd *cobra.Command, args []string) error {
			return askAll(cmd.Context(), a, verb, args, f, yes || verb != rollout.Revert)
		},
	}
	f.add(cmd)
	f.addSteps(cmd)
	if verb == rollout.Revert {
		cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	}
	return cmd
}

func askAll(ctx context.Context, a *cli.App, verb string, names []string, f hostFlags, yes bool) error {
	show, err := cli.View[fleetreport.Asked](a, f.FormFlags)
	if err != nil {
		return err
	}
	hosts, err := f.read(a, names)
	if err != nil {
		return err
	}
	if !yes {
		if err := tunecmd.Agree(ctx, a, tunecmd.ApplyFlags{}, fmt.Sprintf("Revert what unchoke tune changed on %s?", render.Plural(len(hosts), "host"))); err != nil {
			return err
		}
	}
	began := time.Now()
	bar := a.StartProgress(verb)
	asked := rollout.Ask(ctx, verb, hosts, f.opener(a), f.parallel, bar.Set)
	bar.Done()
	if ctx.Err() != nil {
		a.Warn([]string{"interrupted: hosts that were not asked say so"})
	}
	if verb == rollout.Status {
		asked.Rollout = rollout.Newest(hosts)
	}
	if err := show(fleetreport.NewAsked(asked, cli.ProgramVersion(), began)); err != nil {
		return err
	}
	for _, r := range asked.Answers {
		if r.Failed() {
			return cli.StatusError(outcome.ExitWrong)
		}
	}
	return nil
}
