//go:build !slim

package tunecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/far"
	"unchoke/internal/fleet"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// onFlags name another host, on which a verb of tune is run.
type onFlags struct {
	on     string
	become bool
	cli.SSHFlags
}

func (f *onFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.on, "on", "", "do it on this host over SSH: `ssh://[user@]host[:port]`")
	flags.BoolVar(&f.become, "become", false, "with --on: run unchoke there as root with sudo; asks for the password if needed")
	f.SSHFlags.Add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions([]string{"ssh://"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range []string{"become", "far-binary"} {
			if f.on == "" && cmd.Flags().Changed(name) {
				return cli.Usagef("--%s goes with --on", name)
			}
		}
		return nil
	}
}

// openFar is the host that is named. state and timer are flags of the verb there.
func openFar(a *cli.App, f onFlags, state, timer string) (*far.Tuner, error) {
	return far.NewTuner(f.on, far.TunerOptions{Remote: becoming(a, f), State: state, Timer: timer})
}

// stateThere is --state where it is given: its default here is not the far host's.
func stateThere(cmd *cobra.Command, f actFlags) string {
	if cmd.Flags().Changed("state") {
		return f.dir
	}
	return ""
}

// onFar has another host do one thing.
func onFar(a *cli.App, f onFlags, state string, do func(*far.Tuner) error) error {
	there, err := openFar(a, f, state, "")
	if err != nil {
		return err
	}
	defer there.Close()
	err = do(there)
	a.Warn(there.Warnings())
	return err
}

// planOn plans for another host.
func planOn(ctx context.Context, a *cli.App, f planFlags, on onFlags) (tune.Plan, error) {
	there, err := openFar(a, on, "", "")
	if err != nil {
		return tune.Plan{}, err
	}
	defer there.Close()
	order, err := f.order(there.Name())
	if err != nil {
		return tune.Plan{}, err
	}
	p, err := there.Plan(ctx, order)
	a.Warn(there.Warnings())
	return p, err
}

// order is what a plan for a far host is made from: the record of this host's
// check of it, seen from there.
func (f planFlags) order(far string) (fleet.Order, error) {
	o, err := f.Options()
	if err != nil {
		return fleet.Order{}, err
	}
	m, err := f.measuredThere(far)
	return fleet.Order{Scope: o.Scope, Remedy: o.Remedy, Resolve: o.Resolve, Measured: m}, err
}

func (f planFlags) measuredThere(far string) (*tune.Measured, error) {
	if f.measured != "" {
		return f.readMeasured()
	}
	return usecase.MeasuredFor(f.path, far)
}

// plannedOn is the plan for the far host, shown: of a file, or made now.
func plannedOn(ctx context.Context, a *cli.App, there *far.Tuner, f ApplyFlags) (tune.Plan, error) {
	var p tune.Plan
	var err error
	if f.file != "" {
		p, err = readPlan(f.file, a.Stdin)
		if err == nil && p.Host != there.Name() {
			err = &exitError{cli.WithHint(fmt.Errorf("the plan %s is not for %s", f.file, there.Name()), "%s --out FILE writes one", there.Command("plan")), outcome.ExitRefused}
		}
	} else {
		var order fleet.Order
		if order, err = f.order(there.Name()); err == nil {
			p, err = there.Plan(ctx, order)
		}
	}
	a.Warn(there.Warnings())
	if err != nil {
		return p, err
	}
	return p, showPlan(a, p)
}

// tryOn tries a plan on another host.
func tryOn(ctx context.Context, a *cli.App, f ApplyFlags, state string) error {
	there, err := openFar(a, f.onFlags, state, f.timer)
	if err != nil {
		return err
	}
	defer there.Close()
	p, err := plannedOn(ctx, a, there, f)
	if err != nil {
		return err
	}
	if !f.tries(p.Changes) {
		return showOutcome(a, outcome.Outcome{Result: outcome.Unchanged, Host: there.Name()}, f.actFlags)
	}
	var o outcome.Outcome
	if f.persist {
		o, err = there.TryAll(ctx, p, f.timeout, f.despite)
	} else {
		o, err = there.Try(ctx, p, f.timeout)
	}
	a.Warn(there.Warnings())
	if err != nil {
		return err
	}
	return showOutcome(a, o, f.actFlags)
}

// applyOn tries a plan on another host, looks at it over a new connection, and
// confirms over that one. Whatever happens in between, the timer there takes the
// trial back.
func applyOn(ctx context.Context, a *cli.App, f ApplyFlags, state string) error {
	there, err := openFar(a, f.onFlags, state, f.timer)
	if err != nil {
		return err
	}
	defer there.Close()
	p, err := plannedOn(ctx, a, there, f)
	if err != nil {
		return err
	}
	if len(p.Changes) == 0 {
		return showOutcome(a, outcome.Outcome{Result: outcome.Unchanged, Host: there.Name()}, f.actFlags)
	}
	if len(p.Conflicts) > 0 && !f.despite {
		return conflictError(p, there.Command("plan"))
	}
	if err := Agree(ctx, a, f, fmt.Sprintf("Make these changes on %s?", there.Name())); err != nil {
		return err
	}
	trial, err := there.TryAll(ctx, p, f.timeout, f.despite)
	a.Warn(there.Warnings())
	if err != nil {
		return err
	}
	for _, words := range planreport.WaitWords(trial) {
		a.Tell("unchoke: %s", words)
	}
	o, err := confirmOn(ctx, a, there, f, trial)
	if err != nil {
		return abandon(ctx, a, there, trial, err)
	}
	return showOutcome(a, o, f.actFlags)
}

// confirmOn confirms a trial over a connection that was opened after it: that one
// opens is a part of the trial.
func confirmOn(ctx context.Context, a *cli.App, there *far.Tuner, f ApplyFlags, trial outcome.Outcome) (outcome.Outcome, error) {
	there.Renew()
	v, err := there.Verify(ctx)
	a.Warn(there.Warnings())
	if err != nil {
		return outcome.Outcome{}, fmt.Errorf("over a new connection: %w", err)
	}
	if len(v.Wrong) > 0 {
		return outcome.Outcome{}, fmt.Errorf("verify: %s", strings.Join(v.Wrong, "; "))
	}
	if err := Agree(ctx, a, f, fmt.Sprintf("They are in force until %s, and a new connection opens. Keep them?", trial.Deadline.Local().Format("2006-01-02 15:04:05"))); err != nil {
		return outcome.Outcome{}, err
	}
	o, err := there.ConfirmAll(ctx, trial.Token)
	o.Verification = &v
	return o, err
}

// abandonTime bounds the try to take a trial back at once; its timer does it in
// any case.
const abandonTime = 20 * time.Second

// abandon takes a trial back that failed because of cause.
func abandon(ctx context.Context, a *cli.App, there *far.Tuner, trial outcome.Outcome, cause error) error {
	if errors.Is(cause, fleet.ErrReverted) {
		return cause
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTime)
	defer cancel()
	at := trial.Deadline.Local().Format("2006-01-02 15:04:05")
	became := fmt.Sprintf("every change on %s is taken back", there.Name())
	next := ""
	if err := there.Abandon(bounded, trial.Round); err != nil {
		became = fmt.Sprintf("%s takes every change back by itself at %s", there.Name(), at)
		next = there.Command("status")
	}
	if ctx.Err() != nil { // the interruption is what is reported
		return cli.WithHint(cause, "%s", became)
	}
	return &exitError{cli.WithHint(fmt.Errorf("%w; %s", cause, became), "%s", next), outcome.ExitReverted}
}
