package measurecmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/watching"
)

// flowFlags pick a connection that exists, in place of a TARGET.
type flowFlags struct {
	filter string
	pid    int
	unit   string
	length time.Duration
	probe  bool
}

func (f *flowFlags) add(cmd *command.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.filter, "flow", "", "look at an existing connection of this host that matches `FILTER` (that of unchoke watch) in place of a TARGET, without sending anything")
	flags.IntVar(&f.pid, "pid", 0, "look at a connection of process `PID` or of its children")
	flags.StringVar(&f.unit, "unit", "", "look at a connection of systemd unit `NAME`")
	flags.DurationVar(&f.length, "for", watching.FlowTime, "with --flow, --pid or --unit, look for this `TIME`")
	flags.BoolVar(&f.probe, "probe", false, "with --flow, --pid or --unit, send light echo probes to the remote host meanwhile")
	_ = cmd.RegisterFlagCompletionFunc("flow", func(cmd *command.Command, _ []string, typed string) ([]command.Completion, command.ShellCompDirective) {
		return cli.CompleteFilter(cmd, nil, typed)
	})
}

// asked says that a connection is to be looked at.
func (f flowFlags) asked() bool { return f.filter != "" || f.pid != 0 || f.unit != "" }

// onlyServer are flags that say how to load a path and what to ask a server, which
// a look at a connection does not. Some are not in the slim build.
var onlyServer = []string{
	"quick", "budget", "cc", "wait", "token-file", "ipv4", "ipv6",
	"rounds", "no-predict", "far-binary", "header", "cookie-file", "max-bytes",
}

// check refuses flags and arguments that do not go together.
func (f flowFlags) check(cmd *command.Command, args []string) error {
	if !f.asked() {
		for _, name := range []string{"flow", "pid", "unit", "for", "probe"} {
			if cmd.Flags().Changed(name) {
				return cli.Usagef("--%s is for a look at a connection: name it with --flow FILTER, --pid PID or --unit NAME", name)
			}
		}
		return nil
	}
	if len(args) > 0 {
		return cli.Usagef("%q: with --flow, --pid or --unit there is no TARGET; a FILTER of several words is one argument, in quotes", args[0])
	}
	if f.pid < 0 {
		return cli.Usagef("--pid %d: it is a process's number", f.pid)
	}
	for _, name := range onlyServer {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: a look at a connection measures nothing of its own", name)
		}
	}
	return nil
}

// targetOrFlow wants a TARGET, or flags in its place.
func (f *checkFlags) targetOrFlow(cmd *command.Command, args []string) error {
	if err := f.flow.check(cmd, args); err != nil {
		return err
	}
	if f.flow.asked() {
		return nil
	}
	return cli.OneArgument("a TARGET")(cmd, args)
}

// choose finds the connection that the flags mean.
func (f checkFlags) choose(ctx context.Context, a *cli.App) (*watching.Chosen, error) {
	request, err := f.Request("")
	if err != nil {
		return nil, err
	}
	q := watching.FlowRequest{Request: request, For: f.flow.length, Probe: f.flow.probe}
	text := f.flow.filter
	if f.flow.unit != "" {
		unit := fmt.Sprintf("unit = %q", f.flow.unit)
		if strings.TrimSpace(text) != "" {
			text = "(" + text + ") and " + unit
		} else {
			text = unit
		}
	}
	if q.Pick.Filter, err = watching.ParseFilter(ctx, text); err != nil {
		return nil, err
	}
	q.Pick.PID = f.flow.pid
	bar := a.StartProgress("look at the connections")
	defer bar.Done()
	return watching.Choose(ctx, q)
}

// checkFlow looks at a connection and reports it. The first ^C ends the look and
// reports what was seen.
func checkFlow(ctx context.Context, a *cli.App, f checkFlags) error {
	show, err := f.view(a)
	if err != nil {
		return err
	}
	chosen, err := f.choose(ctx, a)
	if err != nil {
		return err
	}
	earlier, err := f.earlier(chosen.Target())
	if err != nil {
		return err
	}
	defer cli.EndWell()()
	bar := a.StartProgress("look at " + chosen.String())
	run, failed := watching.Check(ctx, chosen, bar.Set)
	bar.Done()
	if run == nil {
		return failed
	}
	if err := show(reportOf(run, earlier)); err != nil {
		return err
	}
	return failed
}
