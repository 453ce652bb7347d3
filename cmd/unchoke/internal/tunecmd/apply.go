//go:build !slim

package tunecmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/tune"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/outcome"
)

// exitStatuses is what the help of the acting commands says of them.
const exitStatuses = `Exit status: 0 done, or nothing to change; 5 something failed and everything
was reverted; 6 refused, and nothing was touched: this host cannot be changed,
or not by this user, or not now; 1 failed, 2 wrong usage.`

type ApplyFlags struct {
	planFlags
	actFlags
	onFlags
	timeout time.Duration
	yes     bool
	despite bool
	persist bool   // try: confirm makes the trial permanent
	timer   string // auto or process
	file    string // that has the plan; empty where it is made now
}

func (f *ApplyFlags) add(cmd *cobra.Command) {
	f.planFlags.add(cmd)
	f.actFlags.add(cmd)
	f.onFlags.add(cmd)
	cmd.Flags().DurationVar(&f.timeout, "timeout", apply.DefaultTimeout, "revert the changes after this `TIME` without a confirmation")
	cmd.Flags().StringVar(&f.timer, "timer", timerAuto, "`KIND` of the timer: auto, a systemd unit if systemd runs and else a process, or process")
	_ = cmd.RegisterFlagCompletionFunc("timer", cobra.FixedCompletions([]string{timerAuto, timerProcess}, cobra.ShellCompDirectiveNoFileComp))
}

// What --timer takes.
const (
	timerAuto    = "auto"
	timerProcess = "process"
)

func newApplyCommand(a *cli.App) *cobra.Command {
	var f ApplyFlags
	cmd := &cobra.Command{
		Use:   "apply [FILE]",
		Short: "make the plan's changes, verify them and make them permanent",
		Long: `Apply makes the changes that "unchoke tune plan" shows, or those of the plan in
FILE, which "unchoke tune plan --out FILE" wrote; it refuses that plan if the
host has changed since. It prints the plan and the record behind it. First it
makes the run-time changes, under a timer that reverts them whatever happens to
this process, its terminal or its session. Then it verifies every value and
opens a new connection to see what it uses. Only if all is right does it write
what takes effect from the next boot on. Every change is in a journal with its
old value before the first is made, so that "unchoke tune revert" restores
exactly. Applying twice changes nothing.

With --on the changes are made on another host, over your own ssh: journal and
timer are there, so that a lost connection and ^C revert them. They are verified
and confirmed over a new connection. The plan is for the newest check that this
host made of that one. --become runs unchoke there as root, with sudo.

` + exitStatuses,
		Example: `  unchoke tune apply
  sudo unchoke tune apply plan.json
  unchoke tune apply --yes --for far.example.net --scope route:100.64.0.0/10
  unchoke tune apply --on ssh://me@far --become`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.take(cmd, args, a.Stdin); err != nil {
				return err
			}
			if f.on != "" {
				return tuneError(applyOn(cmd.Context(), a, f, stateThere(cmd, f.actFlags)))
			}
			return tuneError(applyHere(cmd.Context(), a, f))
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.despite, "despite-conflicts", false, "apply even if something on this host will set other values again")
	return cmd
}

// take takes the plan's file, if one is given.
func (f *ApplyFlags) take(cmd *cobra.Command, args []string, stdin io.Reader) error {
	f.stdin = stdin
	if len(args) > 0 {
		for _, name := range []string{"for", "scope", "remedy", "resolve"} {
			if cmd.Flags().Changed(name) {
				return cli.Usagef("--%s selects a plan, and %s has one already", name, args[0])
			}
		}
		f.file = args[0]
	}
	return f.checkTimer()
}

func (f *ApplyFlags) checkTimer() error {
	if f.timeout < time.Second {
		return cli.Usagef("a timeout of %v is too short for a confirmation", f.timeout)
	}
	if f.timer != timerAuto && f.timer != timerProcess {
		return cli.Usagef("--timer %q: want auto or process", f.timer)
	}
	f.process = f.timer == timerProcess
	return nil
}

func newTryCommand(a *cli.App) *cobra.Command {
	var f ApplyFlags
	cmd := &cobra.Command{
		Use:   "try [FILE]",
		Short: "make the plan's changes, and revert them unless they are confirmed",
		Long: `Try makes those of the plan's changes that take effect at once, and prints a
token. A timer reverts them after --timeout unless "unchoke tune confirm TOKEN"
arrives: a lost SSH session, a killed process and a reboot all restore the old
state. The timer is a systemd unit; if systemd runs and refuses it, nothing is
tried. On a host without systemd it is a process in its own session, and try says
what that does not survive. Open a new session to confirm: whether it opens is
part of the trial. With --persist, confirm also makes the changes permanent.
A plan in FILE, or on standard input (-), is tried as apply makes it.

With --on the trial is on another host, over your own ssh: journal and timer are
there. That timer reverts the changes unless "unchoke tune confirm TOKEN --on
ssh://HOST" confirms them in time, over a connection of its own. The plan is for the
newest check that this host made of that one. --become runs unchoke there as root,
with sudo.

` + exitStatuses,
		Example: `  unchoke tune try
  unchoke tune confirm k7f3-9q2m
  unchoke tune try --on ssh://me@far --become --timeout 5m
  unchoke tune confirm k7f3-9q2m --on ssh://me@far --become`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.take(cmd, args, a.Stdin); err != nil {
				return err
			}
			if f.despite && !f.persist {
				return cli.Usagef("--despite-conflicts goes with --persist: a trial alone does not last")
			}
			if f.on != "" {
				return tuneError(tryOn(cmd.Context(), a, f, stateThere(cmd, f.actFlags)))
			}
			return tuneError(tryHere(cmd.Context(), a, f))
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.persist, "persist", false, "have unchoke tune confirm make the changes permanent")
	cmd.Flags().BoolVar(&f.despite, "despite-conflicts", false, "with --persist: try even if something on this host will set other values again")
	return cmd
}

// prepared is a plan that can be made, and the host for it.
type prepared struct {
	tuner     *apply.Tuner
	plan      tune.Plan
	recovered *outcome.Undo // what an interrupted run had left
}

// order is what to make of the plan.
func (p prepared) order(timeout time.Duration) apply.Order {
	o := apply.Order{Scope: p.plan.Scope, Changes: p.plan.Changes, Timeout: timeout}
	if p.plan.For != nil {
		o.Address = p.plan.For.Address
	}
	return o
}

// prepare takes back what an interrupted run left, and plans. Where the host
// cannot be changed it says why.
func prepare(ctx context.Context, a *cli.App, f ApplyFlags) (prepared, error) {
	var p prepared
	t, err := f.tuner()
	if err != nil {
		return p, err
	}
	p.tuner = t
	if p.recovered, err = t.Recover(ctx); err != nil {
		return p, err
	}
	facts, plan, err := f.planned()
	if err != nil {
		return p, err
	}
	a.Warn(facts.Warnings)
	p.plan = plan
	return p, showPlan(a, plan)
}

// showPlan shows what is about to be made. Where the host cannot be changed it
// says why.
func showPlan(a *cli.App, p tune.Plan) error {
	if err := planreport.Text(a.Stderr, p, a.ErrStyle()); err != nil {
		return err
	}
	if p.Unsupported != nil {
		return &exitError{cli.WithHint(errors.New(p.Unsupported.What), "%s", p.Unsupported.Next), outcome.ExitRefused}
	}
	return nil
}

// planned is the plan for this host as it is now. Where a file has one already it
// is made again from the same measurement, and has to be the same: what is in
// the file is only compared, never made.
func (f ApplyFlags) planned() (tune.Facts, tune.Plan, error) {
	if f.file == "" {
		return f.plan("")
	}
	read, err := readPlan(f.file, f.stdin)
	if err != nil {
		return tune.Facts{}, tune.Plan{}, err
	}
	if read.Host != "" {
		return tune.Facts{}, read, &exitError{cli.WithHint(fmt.Errorf("the plan %s is for %s", f.file, read.Host), "--on %s makes its changes there", read.Host), outcome.ExitRefused}
	}
	facts, now, err := usecase.PlanAgain(read)
	if err != nil {
		return facts, now, err
	}
	if facts.Apart { // which whoever planned without root did not see
		read = read.WithoutBoot()
	}
	if now.Unsupported == nil {
		if err := read.Same(&now); err != nil {
			return facts, now, &exitError{cli.WithHint(fmt.Errorf("apply %s: the host has changed since the plan was made: %w", f.file, err), "make a new plan: unchoke tune plan --out FILE"), outcome.ExitRefused}
		}
	}
	return facts, now, nil
}

func tryHere(ctx context.Context, a *cli.App, f ApplyFlags) error {
	p, err := prepare(ctx, a, f)
	if err != nil {
		return err
	}
	order := p.order(f.timeout)
	o := outcome.Outcome{Result: outcome.Unchanged, Recovered: p.recovered}
	if !f.tries(order.Changes) {
		return showOutcome(a, o, f.actFlags)
	}
	if order.Persist = f.persist; f.persist && len(p.plan.Conflicts) > 0 && !f.despite {
		return conflictError(p.plan, "unchoke tune plan")
	}
	trial, err := p.tuner.Try(ctx, order)
	if err != nil {
		return err
	}
	o.Result, o.Changes, o.Token, o.Deadline = outcome.WasTried, trial.Made, trial.Token, &trial.Deadline
	o.Round, o.Persist = trial.Round, f.persist
	o.Timer = timerOf(trial)
	v, err := p.tuner.Verify(apply.Kernel{})
	if err == nil {
		o.Verification = &v
	} else {
		a.Warn([]string{err.Error()})
	}
	return showOutcome(a, o, f.actFlags)
}

func timerOf(trial *apply.Trial) *outcome.Timer {
	return &outcome.Timer{Unit: trial.Timer.Unit, PID: trial.Timer.PID, Program: trial.Timer.Program}
}

// tries says whether there is something to try: with --persist that may be what
// only counts from the next boot on.
func (f ApplyFlags) tries(changes []tune.Change) bool {
	return slices.ContainsFunc(changes, func(c tune.Change) bool { return f.persist || c.When == tune.Now })
}

func applyHere(ctx context.Context, a *cli.App, f ApplyFlags) error {
	p, err := prepare(ctx, a, f)
	if err != nil {
		return err
	}
	o := outcome.Outcome{Result: outcome.Unchanged, Recovered: p.recovered}
	if len(p.plan.Changes) == 0 {
		return showOutcome(a, o, f.actFlags)
	}
	if len(p.plan.Conflicts) > 0 && !f.despite {
		return conflictError(p.plan, "unchoke tune plan")
	}
	if err := Agree(ctx, a, f, "Make these changes?"); err != nil {
		return err
	}
	trial, err := p.tuner.Apply(ctx, p.order(f.timeout), func(trial *apply.Trial) error {
		if words := planreport.TimerWords(outcome.Outcome{Timer: timerOf(trial)}); words != "" {
			a.Warn([]string{words})
		}
		v, err := p.tuner.Verify(apply.Kernel{})
		if err != nil {
			return err
		}
		if len(v.Wrong) > 0 {
			return fmt.Errorf("verify: %s", strings.Join(v.Wrong, "; "))
		}
		o.Verification = &v
		return Agree(ctx, a, f, fmt.Sprintf("They are in force until %s. Keep them?", trial.Deadline.Local().Format("2006-01-02 15:04:05")))
	})
	if err != nil {
		return err
	}
	o.Result, o.Changes = outcome.Applied, trial.Made
	return showOutcome(a, o, f.actFlags)
}

// conflictError says that the changes would not last; plan is the command that shows
// the plan again.
func conflictError(p tune.Plan, plan string) error {
	var what []string
	for _, c := range p.Conflicts {
		what = append(what, c.What)
	}
	return &exitError{cli.WithHint(fmt.Errorf("apply: %s", strings.Join(what, " ")),
		"--resolve comments out lines below /etc that would override the plan's; --despite-conflicts applies anyway; %s has the details", plan), outcome.ExitRefused}
}

// errDeclined is a no to a question.
var errDeclined = errors.New("declined")

// canAnswer says whether somebody can answer a question.
func canAnswer(a *cli.App) bool {
	stdin, ok := a.Stdin.(*os.File)
	if ok {
		_, ok = cli.TerminalFD(stdin)
	}
	return ok
}

// Agree wants a yes on the terminal.
func Agree(ctx context.Context, a *cli.App, f ApplyFlags, question string) error {
	if f.yes {
		return nil
	}
	if !canAnswer(a) {
		return cli.Usage(cli.WithHint(errors.New("there is no terminal for the question"), "--yes answers it; unchoke tune plan shows the changes"))
	}
	a.Ask(question)
	type reply struct {
		text string
		err  error
	}
	answer := make(chan reply, 1)
	go func() { // reading does not end with ctx
		text, err := bufio.NewReader(a.Stdin).ReadString('\n')
		answer <- reply{text, err}
	}()
	var r reply
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case r = <-answer:
	}
	if r.err != nil {
		return fmt.Errorf("read the answer: %w", r.err)
	}
	switch strings.ToLower(strings.TrimSpace(r.text)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
