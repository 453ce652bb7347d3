package measurecmd

import (
	"context"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	checkreport "unchoke/internal/report/check"
)

type checkFlags struct {
	cli.MeasureFlags
	fromFlags
	cli.FormFlags
	quick  bool
	budget time.Duration
	cc     string
	since  string // the record of an earlier check; empty for none

	noPredict bool
	flow      flowFlags
	web       webFlags
}

func NewCheck(a *cli.App) *command.Command {
	var f checkFlags
	cmd := &command.Command{
		Use:   "check TARGET | --flow FILTER",
		Short: "measure a path and say why one stream is slow",
		Long: `Check measures the path to TARGET, a host on which a stock "iperf3 -s" or
"unchoke serve" runs (host or host:port; the default port is 5201), and says
why one TCP stream is slow on it, with the evidence and what to do.

It looks at this host and the route first, then at the path: echo probes, one
TCP stream each way, UDP at rising rates each way, eight streams each way. It
takes at most 30 seconds of path time, and ends early if further samples would
change nothing. The run is saved as a record: see "unchoke record". It needs no
root` + rootHelp + `.

A TARGET ssh://[user@]host[:port] needs only sshd there: your own ssh logs in and
starts the far end, which sees its side of every test and leaves nothing behind.

` + wholeHelp + `With --flow, --pid or --unit it watches an existing connection for 10 seconds,
sends nothing, and says why that stream is slow. If several match, it takes the
one that moves most bytes (if none moves, the one with most to send), and lists
the others. ^C ends it early and reports what was seen. FILTER is that of "unchoke
watch". Root is needed only to name other users' programs.` + fromHelp,
		Example: `  unchoke check far.example.net
  unchoke check --quick --json 192.0.2.7:5201
  unchoke check ssh://root@far.example.net
  unchoke check --format markdown far > check.md
  unchoke check --since last far
  unchoke check --flow 'dst 192.0.2.7 and sport = 443'
  unchoke check --unit nginx --probe
  unchoke check far --from local --from ssh://router --from ssh://cloud
  unchoke check https://media.example.net/film.mkv
  unchoke check --header 'Authorization: Bearer …' --max-bytes 100MiB https://media.example.net/film.mkv`,
		Args: f.targetOrFlow,
		RunE: func(cmd *command.Command, args []string) error {
			if cmd.Flags().Changed("budget") && f.budget <= 0 {
				return cli.Usagef("--budget %v: the budget must be positive", f.budget)
			}
			if f.flow.asked() {
				return checkFlow(cmd.Context(), a, f)
			}
			if cmd.Flags().Changed("rounds") && f.rounds < 1 {
				return cli.Usagef("--rounds %d: the number must be positive", f.rounds)
			}
			if f.rounds != 0 && len(f.from) == 0 {
				return cli.Usagef("--rounds goes with --from")
			}
			if len(f.from) > 0 {
				return checkFrom(cmd.Context(), a, args[0], f)
			}
			return check(cmd.Context(), a, args[0], f)
		},
		ValidArgsFunction: cli.CompleteTarget,
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "take at most 10 seconds of path time")
	flags.DurationVar(&f.budget, "budget", 0, "take at most this `TIME` on the path (default 30s, with --quick 10s)")
	flags.StringVar(&f.cc, "cc", "", "congestion control `NAME` of the senders (default: each host's own)")
	flags.BoolVar(&f.noPredict, "no-predict", false, "do not try the remedies in the lab after the check")
	f.FormFlags.Add(cmd)
	f.withSince(cmd)
	f.flow.add(cmd)
	f.MeasureFlags.Add(cmd)
	f.web.add(cmd)
	f.fromFlags.add(cmd)
	return cmd
}

// check asks for the check and reports it. A run that failed midway is reported
// as well, for what it saw, and is a failure all the same.
func check(ctx context.Context, a *cli.App, target string, f checkFlags) error {
	show, err := f.view(a)
	if err != nil {
		return err
	}
	earlier, err := f.earlier(target)
	if err != nil {
		return err
	}
	m, err := f.measurement(target)
	if err != nil {
		return err
	}
	bar := a.StartProgress("check " + usecase.ShownTarget(target))
	run, failed := m.measure(ctx, bar.Set)
	predict := run != nil && run.Fetch == nil && failed == nil && !f.noPredict
	if predict {
		weigh(ctx, m.Request, run, bar.Set)
	}
	bar.Done()
	if run == nil {
		return failed
	}
	report := reportOf(run, earlier)
	if err := show(report); err != nil {
		return err
	}
	if predict {
		hintAtPrediction(a, run)
	}
	return failed
}

// view is how the report is shown.
func (f checkFlags) view(a *cli.App) (func(checkreport.Report) error, error) {
	return cli.View[checkreport.Report](a, f.FormFlags)
}
