//go:build !slim

package fleetcmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/tunecmd"
	"unchoke/internal/app/request"
	"unchoke/internal/app/rollout"
	"unchoke/internal/fleet"
	fleetreport "unchoke/internal/report/fleet"
	"unchoke/internal/state"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/outcome"
)

// rolloutFlags are what a rollout is asked.
type rolloutFlags struct {
	hostFlags
	tunecmd.RemedyFlags
	despite bool
	skip    bool
	batch   string
	timeout time.Duration
	rounds  int
	seconds float64
}

func (f *rolloutFlags) add(cmd *cobra.Command) {
	f.hostFlags.add(cmd)
	f.RemedyFlags.Add(cmd)
	f.addSteps(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.despite, "despite-conflicts", false, "change a host even if something there will set other values again")
	flags.BoolVar(&f.skip, "skip-refused", false, "go on without the hosts that the preflight refused")
	flags.StringVar(&f.batch, "batch", fleet.DefaultBatch, "change so many hosts at a time: `SIZES`, numbers or shares of all; the last one repeats")
	_ = cmd.RegisterFlagCompletionFunc("batch", cobra.FixedCompletions([]string{fleet.DefaultBatch, "1,10%", "1,5,10"}, cobra.ShellCompDirectiveNoFileComp))
}

// settings checks the flags.
func (f rolloutFlags) settings() (fleet.Settings, error) {
	plan, err := f.Options()
	if err != nil {
		return fleet.Settings{}, err
	}
	s := fleet.Settings{
		Scope: plan.Scope, Remedy: plan.Remedy, Resolve: plan.Resolve, Despite: f.despite, SkipRefused: f.skip, Batch: f.batch,
		Timeout: f.timeout.Seconds(), Rounds: f.rounds, Seconds: f.seconds,
	}
	if _, err := fleet.ParseBatches(f.batch); err != nil {
		return s, cli.Usage(cli.WithHint(err, "1,5,20%% is one host, then five, then a fifth of all at a time"))
	}
	switch {
	case f.timeout < 10*time.Second:
		return s, cli.Usagef("--timeout %v is too short: a new login is part of the trial", f.timeout)
	case f.rounds < 0 || f.rounds > 50:
		return s, cli.Usagef("--rounds %d: it is from 0, which measures nothing, to 50", f.rounds)
	case f.rounds > 0 && f.rounds < 4:
		return s, cli.WithHint(cli.Usagef("--rounds %d: fewer than 4 before and after never tell a difference from chance", f.rounds), "--rounds 0 measures nothing")
	case f.seconds < 0.5 || f.seconds > 60:
		return s, cli.Usagef("--seconds %g: it is from 0.5 to 60", f.seconds)
	}
	return s, nil
}

// begin makes a rollout of the hosts that the command line names.
func (f rolloutFlags) begin(a *cli.App, names []string) (*fleet.Rollout, error) {
	settings, err := f.settings()
	if err != nil {
		return nil, err
	}
	hosts, err := f.read(a, names)
	if err != nil {
		return nil, err
	}
	members, err := rollout.Members(hosts)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	return fleet.NewRollout(state.NewID(began), cli.ProgramVersion(), began, settings, members)
}

// roll is what carries a rollout out; the caller adds where it is kept.
func (f *rolloutFlags) roll(a *cli.App, r *fleet.Rollout, bar *cli.Progress) (rollout.Request, error) {
	open := f.opener(a)
	hosts := map[string]fleet.Host{}
	for _, e := range r.Entries {
		h, err := open(e.At)
		if err != nil {
			return rollout.Request{}, err
		}
		hosts[e.Host] = h
	}
	asked, err := f.request()
	if err != nil {
		return rollout.Request{}, err
	}
	return rollout.Request{
		Rollout: r, Parallel: f.parallel, Now: time.Now, Wait: rollout.WaitFor, Progress: bar.Set,
		Host: func(e *fleet.Entry) fleet.Host { return hosts[e.Host] },
		Measure: func(ctx context.Context, e *fleet.Entry, progress request.Progress) (fleet.Rates, error) {
			return rollout.Measure(ctx, asked, e.At, r.Settings, uint64(e.Batch), progress)
		},
	}, nil
}

func newPlanCommand(a *cli.App) *cobra.Command {
	f := rolloutFlags{timeout: apply.DefaultTimeout, rounds: 4, seconds: 2}
	cmd := &cobra.Command{
		Use:   "plan [HOST]...",
		Short: "say what is worth changing on each of many hosts, and what prevents it",
		Long: `Plan asks each host what "unchoke tune plan" would change there, for the newest
check of the path to it, and whether it may be changed: its kernel and modules,
the rights of this login, conflicts, room for the journal, its clock, changes on
trial or made already. It touches nothing. Diffs that are the same on
several hosts are shown once.

` + hostsHelp + `

Exit status: 0 nothing to change, 3 changes pending, 6 a host was refused, 1
failed, 2 wrong usage.`,
		Example: `  unchoke fleet plan web1 web2 --remedy bbr
  unchoke fleet plan --hosts inventory.ini --limit web --become`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return planAll(cmd.Context(), a, args, f)
		},
	}
	f.add(cmd)
	return cmd
}

func planAll(ctx context.Context, a *cli.App, names []string, f rolloutFlags) error {
	show, err := cli.View[fleetreport.Rollout](a, f.FormFlags)
	if err != nil {
		return err
	}
	r, err := f.begin(a, names)
	if err != nil {
		return err
	}
	return preflightAll(ctx, a, r, f, show)
}

// preflightAll looks at all hosts and shows what it saw.
func preflightAll(ctx context.Context, a *cli.App, r *fleet.Rollout, f rolloutFlags, show func(fleetreport.Rollout) error) error {
	r.Settings.SkipRefused = true // all hosts are shown
	if err := preflight(ctx, a, r, f); err != nil {
		return err
	}
	if err := show(fleetreport.NewPlan(r)); err != nil {
		return err
	}
	status := 0
	for _, e := range r.Entries {
		switch e.Verdict.Fitness {
		case fleet.Refused:
			return cli.StatusError(outcome.ExitRefused)
		case fleet.Ready:
			status = outcome.ExitPending
		}
	}
	if status != 0 {
		return cli.StatusError(status)
	}
	return nil
}

// preflight looks at all hosts of a rollout.
func preflight(ctx context.Context, a *cli.App, r *fleet.Rollout, f rolloutFlags) error {
	bar := a.StartProgress("look at the hosts")
	defer bar.Done()
	q, err := f.roll(a, r, bar)
	if err != nil {
		return err
	}
	q.Preflight = true
	if err := rollout.Roll(ctx, q); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
