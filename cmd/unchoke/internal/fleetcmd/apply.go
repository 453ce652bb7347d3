//go:build !slim

package fleetcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/tunecmd"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/rollout"
	"unchoke/internal/fleet"
	fleetreport "unchoke/internal/report/fleet"
	"unchoke/internal/report/render"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/outcome"
)

type applyFlags struct {
	rolloutFlags
	dryRun, yes bool
	resume      string
}

// newestRollout is what --resume stands for without a name.
const newestRollout = usecase.LastRecord

func newApplyCommand(a *cli.App) *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [HOST]...",
		Short: "change many hosts in batches, each verified; halt and revert where one gets worse",
		Long: `Apply looks at all hosts first, as "unchoke fleet plan" does, and begins only if
none is refused (--skip-refused goes on without those). Then it changes them in
batches, the first one the canary. For each host it measures the path, makes the
changes under that host's own timer, verifies them on a new connection, and
confirms them. It measures the paths of the batch again, and only if none is
slower makes the changes permanent and goes on. If a host fails, or its path gets
slower, the batch is reverted and the rollout halts: the report names the host and
the reason. If a connection is lost, the host's own timer reverts what was not
confirmed.

A rollout is kept in a file beside the records. --resume goes on with one that was
killed, interrupted or halted; each host's own journal says what was done there.
Applying twice changes nothing. An interruption (^C) reverts the batch under way.

` + hostsHelp + `

Exit status: 0 done, or nothing to change; 5 halted, and the batch was reverted;
6 refused, and nothing was touched; 1 failed, or the state of a host is not known;
2 wrong usage.`,
		Example: `  unchoke fleet apply --hosts inventory.yml --limit web --batch 1,5,20% --become
  unchoke fleet apply web1 web2 web3 --remedy bbr --dry-run
  unchoke fleet apply --resume`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("resume") {
				return rollOut(cmd.Context(), a, args, f)
			}
			for _, name := range []string{"hosts", "limit", "scope", "remedy", "resolve", "batch", "rounds", "seconds", "timeout", "dry-run"} {
				if cmd.Flags().Changed(name) {
					return cli.Usagef("--%s is of a new rollout, and --resume goes on with an old one", name)
				}
			}
			if len(args) == 1 && f.resume == newestRollout {
				f.resume, args = args[0], nil // --resume ROLLOUT, with a space
			}
			if len(args) > 0 {
				return cli.WithHint(cli.Usagef("--resume goes on with the hosts of its rollout"), "--resume ID names one; it takes no hosts")
			}
			return resume(cmd.Context(), a, f)
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.DurationVar(&f.timeout, "timeout", apply.DefaultTimeout, "let a host revert its changes after this `TIME` without a confirmation")
	flags.IntVar(&f.rounds, "rounds", 4, "measure each direction `N` times before and after; 0 measures nothing")
	flags.Float64Var(&f.seconds, "seconds", 2, "let one measurement take `SECONDS`")
	flags.BoolVar(&f.dryRun, "dry-run", false, "look at the hosts and show the plan; touch nothing")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.StringVar(&f.resume, "resume", "", "go on with the newest rollout, or with this `ROLLOUT`: an ID or a file")
	flags.Lookup("resume").NoOptDefVal = newestRollout
	_ = cmd.RegisterFlagCompletionFunc("resume", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ids, _ := rollout.IDs()
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func rollOut(ctx context.Context, a *cli.App, names []string, f applyFlags) error {
	show, err := cli.View[fleetreport.Rollout](a, f.FormFlags)
	if err != nil {
		return err
	}
	r, err := f.begin(a, names)
	if err != nil {
		return err
	}
	if f.dryRun {
		return preflightAll(ctx, a, r, f.rolloutFlags, show)
	}
	if err := preflight(ctx, a, r, f.rolloutFlags); err != nil {
		return err
	}
	if r.Halt == nil && !r.Done {
		if err := agreeToRollout(ctx, a, r, f); err != nil {
			return err
		}
	}
	file, err := rollout.NewFile(r.ID)
	if err != nil {
		return err
	}
	return carryOut(ctx, a, r, file, f, show)
}

// agreeToRollout shows the plan and asks.
func agreeToRollout(ctx context.Context, a *cli.App, r *fleet.Rollout, f applyFlags) error {
	if f.yes {
		return nil
	}
	if err := fleetreport.NewPlan(r).Text(a.Stderr, a.ErrStyle()); err != nil {
		return err
	}
	ready := 0
	for _, n := range r.Batches {
		ready += n
	}
	return tunecmd.Agree(ctx, a, tunecmd.ApplyFlags{}, fmt.Sprintf("Change %s?", render.Plural(ready, "host")))
}

func resume(ctx context.Context, a *cli.App, f applyFlags) error {
	show, err := cli.View[fleetreport.Rollout](a, f.FormFlags)
	if err != nil {
		return err
	}
	file, err := rollout.Find(f.resume)
	if err != nil {
		return err
	}
	unlock, err := file.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	r, err := file.Load()
	if err != nil {
		return err
	}
	r.Settings.SkipRefused = r.Settings.SkipRefused || f.skip
	r.Settings.Despite = r.Settings.Despite || f.despite
	if !f.yes && !r.Done {
		if err := tunecmd.Agree(ctx, a, tunecmd.ApplyFlags{}, fmt.Sprintf("Go on with the rollout %s to %s?", r.ID, render.Plural(len(r.Entries), "host"))); err != nil {
			return err
		}
	}
	r.Resume()
	return finish(ctx, a, r, file, f, show)
}

// carryOut takes the rollout's file and goes on.
func carryOut(ctx context.Context, a *cli.App, r *fleet.Rollout, file rollout.File, f applyFlags, show func(fleetreport.Rollout) error) error {
	unlock, err := file.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return finish(ctx, a, r, file, f, show)
}

// finish carries the rollout out to its end and reports it.
func finish(ctx context.Context, a *cli.App, r *fleet.Rollout, file rollout.File, f applyFlags, show func(fleetreport.Rollout) error) error {
	bar := a.StartProgress("roll out")
	q, err := f.roll(a, r, bar)
	if err != nil {
		return err
	}
	q.Save = file.Save
	failed := rollout.Roll(ctx, q)
	bar.Done()
	if err := show(fleetreport.NewRollout(r)); err != nil {
		return errors.Join(err, failed)
	}
	if failed != nil {
		return failed
	}
	return rolloutStatus(r)
}

// rolloutStatus is what a rollout's exit status tells a script.
func rolloutStatus(r *fleet.Rollout) error {
	for _, e := range r.Entries {
		if e.Stage == fleet.Adrift {
			return cli.StatusError(1)
		}
	}
	switch {
	case r.Halt != nil && r.Halt.Batch < 0:
		return cli.StatusError(outcome.ExitRefused)
	case r.Halt != nil:
		return cli.StatusError(outcome.ExitReverted)
	case !r.Done:
		return cli.StatusError(1)
	}
	return nil
}
