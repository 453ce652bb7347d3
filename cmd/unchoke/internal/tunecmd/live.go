//go:build !slim

package tunecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/live"
	"unchoke/internal/app/watching"
	livefilter "unchoke/internal/live/filter"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/report/render"
	tunelive "unchoke/internal/tune/live"
	"unchoke/internal/tune/outcome"
)

type liveFlags struct {
	actFlags
	cc     string
	revert bool
	yes    bool
	scope  string
	over   time.Duration
	wait   time.Duration
}

func newLiveCommand(a *cli.App) *cobra.Command {
	var f liveFlags
	cmd := &cobra.Command{
		Use:   "live FILTER --cc ALGORITHM",
		Short: "change the congestion control of connections that are open, and revert it",
		Long: `Live gives open connections another congestion control. Their programs notice
nothing, and connections that open later are as before: "unchoke tune plan" is for
those, and --scope unit:NAME for those of one systemd unit. FILTER is that of
"unchoke watch".

It watches for 10 s, shows the connections that pass the filter, with their rates,
and asks. It loads the algorithm's module if needed, waits until a connection is
not recovering from loss, changes it in its process (pidfd_getfd), verifies that,
and watches for another 10 s. It prints the rates before and after. They were
measured at different times, so do not compare them; use "unchoke ab". The old
algorithm of each connection is in the journal before the first is changed:
--revert restores it where the connection is still open.

With --scope unit:NAME the connections that the unit opens or accepts later get
the algorithm too, until the unit is stopped or restarted, the host reboots, or
--revert: a BPF program at its control group sets it. FILTER is then "unit = NAME"
unless another is given.

It needs the right to trace the programs (ptrace): run it as root, and not in a
container with its own user namespace.

Exit status: 0 done, or nothing to change; 6 refused, and nothing was touched:
not by this user, or not on this host; 1 failed for some connections or all, 2
wrong usage.`,
		Example: `  sudo unchoke tune live sport = 8096 --cc bbr
  sudo unchoke tune live 'dst 203.0.113.7 and cc = cubic' --cc bbr --yes
  sudo unchoke tune live --scope unit:jellyfin --cc bbr
  sudo unchoke tune live --revert`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return tuneError(changeLive(cmd.Context(), a, strings.Join(args, " "), f))
		},
		ValidArgsFunction: cli.CompleteFilter,
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.cc, "cc", "", "congestion control `ALGORITHM`, such as bbr")
	flags.BoolVar(&f.revert, "revert", false, "give every connection that was changed its old algorithm back")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.DurationVar(&f.over, "over", 10*time.Second, "watch each connection for this `TIME` before and after")
	flags.DurationVar(&f.wait, "wait", 5*time.Second, "wait at most this `TIME` until a connection is not recovering from loss")
	flags.StringVar(&f.scope, "scope", "", "also change the connections that a unit opens later: `unit:NAME`")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"unit:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	cmd.MarkFlagsMutuallyExclusive("revert", "cc")
	cmd.MarkFlagsMutuallyExclusive("revert", "scope")
	return cmd
}

// algorithmName is what the kernel takes for one.
var algorithmName = regexp.MustCompile(`^[a-z0-9_-]{1,15}$`)

// request checks the flags.
func (f liveFlags) request(filter string) (live.Request, error) {
	dir, err := filepath.Abs(f.dir)
	switch {
	case err != nil:
		return live.Request{}, fmt.Errorf("find the directory %s: %w", f.dir, err)
	case f.scope != "" && f.unit() == "":
		return live.Request{}, cli.WithHint(cli.Usagef("--scope %s: tune live knows units alone", f.scope), "--scope unit:jellyfin; unchoke tune plan --scope route:PREFIX is for whom a program talks to")
	case f.revert && filter != "":
		return live.Request{}, cli.Usagef("--revert takes no FILTER: it reverts all")
	case f.wait < 0:
		return live.Request{}, cli.Usagef("--wait %v is negative", f.wait)
	case !f.revert && filter == "":
		return live.Request{}, cli.WithHint(cli.Usagef("tune live needs a FILTER"), "unchoke watch shows what there is; sport = 443 is one")
	case !f.revert && !algorithmName.MatchString(f.cc):
		return live.Request{}, cli.WithHint(cli.Usagef("--cc %q is no congestion control", f.cc), "--cc bbr")
	case f.over < live.LeastWindow || f.over > time.Minute:
		return live.Request{}, cli.Usagef("--over %v: it is from %v to %v", f.over, live.LeastWindow, time.Minute)
	}
	return live.Request{Dir: dir, CC: f.cc, Wait: f.wait}, nil
}

// unit is the one whose later connections are meant; empty for none.
func (f liveFlags) unit() string {
	name, is := strings.CutPrefix(f.scope, "unit:")
	if !is || strings.ContainsAny(name, "/ '\"") {
		return ""
	}
	return name
}

func changeLive(ctx context.Context, a *cli.App, filter string, f liveFlags) error {
	unit := f.unit()
	if filter == "" && unit != "" {
		filter = "unit = " + livefilter.Quote(unit)
	}
	q, err := f.request(filter)
	if err != nil {
		return err
	}
	pass, err := watching.ParseFilter(ctx, filter)
	if err != nil {
		return err
	}
	if err := tunelive.Able(); err != nil {
		return &exitError{err, outcome.ExitRefused}
	}
	if f.revert {
		return revertLive(ctx, a, q, f)
	}
	if !f.yes && !canAnswer(a) {
		return cli.Usage(cli.WithHint(errors.New("there is no terminal for the question"), "--yes answers it; unchoke watch %s shows the connections", render.ShellWord(filter)))
	}
	if unit != "" {
		if err := live.FindUnit(unit); err != nil {
			return unable(err)
		}
	}
	before, err := live.Watch(ctx, f.over)
	if err != nil {
		return err
	}
	flows := before.Pick(pass)
	if len(flows) == 0 && unit == "" {
		return cli.WithHint(fmt.Errorf("no open connection passes %q", filter), "unchoke watch --once shows all; it may have ended meanwhile")
	}
	if !f.yes {
		if err := planreport.LiveAsk(a.Stderr, values(flows), a.ErrStyle()); err != nil {
			return err
		}
		what := render.Plural(len(flows), "connection")
		if unit != "" {
			what += " and all that " + unit + " opens later"
		}
		if err := Agree(ctx, a, ApplyFlags{}, fmt.Sprintf("Give %s %s?", what, f.cc)); err != nil {
			return err
		}
	}
	l := outcome.Live{Result: outcome.LiveNothing, CC: f.cc}
	if unit != "" {
		u, loaded, err := live.ChangeUnit(ctx, q, unit)
		if err != nil {
			return unable(err)
		}
		l.Units, l.Module = []outcome.LiveUnit{u}, loaded
		if u.State == outcome.LiveChanged {
			l.Result = outcome.WasChanged
		}
	}
	loaded, err := live.Change(ctx, q, flows)
	l.Module, l.Flows = cmp.Or(l.Module, loaded), values(flows)
	if err != nil {
		if done := planreport.LiveSoFar(l); done != "" {
			a.Warn([]string{done})
		}
		return err
	}
	if inState(flows, outcome.LiveChanged) > 0 {
		l.Result, l.Window = outcome.WasChanged, f.over.Seconds()
		after, err := live.Watch(ctx, f.over)
		if err != nil {
			a.Warn([]string{"the rates after the change are missing: " + err.Error()})
		}
		after.After(flows)
		l.Flows = values(flows)
	}
	return showLive(a, l, f)
}

// unable gives what this user or this host cannot do its exit status.
func unable(err error) error {
	if _, is := errors.AsType[*tunelive.UnableError](err); is || errors.Is(err, os.ErrPermission) {
		return &exitError{err, outcome.ExitRefused}
	}
	return err
}

func revertLive(ctx context.Context, a *cli.App, q live.Request, f liveFlags) error {
	r, err := live.Revert(ctx, q)
	if err != nil {
		return err
	}
	if r.Elsewhere > 0 {
		a.Warn([]string{render.Plural(r.Elsewhere, "connection") + " in other network namespaces were changed from there, and are reverted there"})
	}
	l := outcome.Live{Result: outcome.LiveNothing, Flows: values(r.Flows), Units: r.Units}
	if inState(r.Flows, outcome.LiveReverted) > 0 || slices.ContainsFunc(r.Units, func(u outcome.LiveUnit) bool { return u.State == outcome.LiveReverted }) {
		l.Result = outcome.LiveUndone
	}
	return showLive(a, l, f)
}

// showLive prints what became of the connections, and fails where it is not what
// was asked for.
func showLive(a *cli.App, l outcome.Live, f liveFlags) error {
	l.Schema = outcome.LiveSchema
	var err error
	if f.json {
		err = a.PrintJSON(l)
	} else {
		err = planreport.LiveText(a.Stdout, l, a.Style())
	}
	if err != nil {
		return err
	}
	return liveError(l)
}

// liveError is of what is not as was asked.
func liveError(l outcome.Live) error {
	for _, u := range l.Units {
		switch u.State {
		case outcome.LiveRefused:
			return &exitError{cli.WithHint(fmt.Errorf("this user may not change what %s will open: %s", u.Unit, u.Why), "run it as root (sudo)"), outcome.ExitRefused}
		case outcome.LiveFailed:
			return fmt.Errorf("what %s will open is not as it was: %s", u.Unit, u.Why)
		}
	}
	var refused, failed int
	for _, f := range l.Flows {
		switch f.State {
		case outcome.LiveRefused:
			refused++
		case outcome.LiveRecovering, outcome.LiveFailed:
			failed++
		}
	}
	switch {
	case refused == 0 && failed == 0:
		return nil
	case refused == len(l.Flows):
		return &exitError{cli.WithHint(errors.New("this user may not change these connections: it takes the rights of ptrace over their programs"), "run it as root (sudo)"), outcome.ExitRefused}
	case refused > 0:
		return cli.WithHint(fmt.Errorf("%s of %d belong to programs that this user may not change", render.Plural(refused, "connection"), len(l.Flows)), "run it as root (sudo)")
	}
	return cli.WithHint(fmt.Errorf("%s of %d could not be changed", render.Plural(failed, "connection"), len(l.Flows)), "run it again, with a longer --wait for those that recover from loss")
}

func inState(flows []*outcome.LiveFlow, state outcome.Became) (n int) {
	for _, f := range flows {
		if f.State == state {
			n++
		}
	}
	return n
}

func values(flows []*outcome.LiveFlow) []outcome.LiveFlow {
	out := make([]outcome.LiveFlow, 0, len(flows))
	for _, f := range flows {
		out = append(out, *f)
	}
	return out
}
