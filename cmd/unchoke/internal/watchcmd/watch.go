package watchcmd

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/watching"
	"unchoke/internal/live/table"
	"unchoke/internal/live/tape"
)

type showFlags struct {
	interval    time.Duration
	netns       string
	once        bool
	length      time.Duration
	json, plain bool
	sort        string
	group       string
	top         int
	record      string
	replay      string
	speed       float64
	seek        time.Duration
}

func New(a *cli.App) *command.Command {
	var f showFlags
	extras := newExtras()
	cmd := &command.Command{
		Use:   "watch [FILTER]...",
		Short: "show this host's connections while they run, each with its verdict",
		Long: `Watch looks at every TCP connection of this host once an interval: its rate each
way, RTT and jitter, retransmits, what limits the sender, its owner, and the
verdict: why it is slow, once enough was seen. It sends nothing and changes
nothing.

FILTER is that of ss (dst, src, dport, sport, state, dev, cgroup; and, or, not,
brackets), and knows more keys: rate, sent, received, rtt, jitter, jitter-ratio,
retrans, limit, cc, process, unit, verdict and others. It is read from left to
right, as by ss: "and" has no precedence over "or".

Without root it sees all connections, but names only your own programs.

--once waits one interval to compute rates; a verdict needs longer: --once --for
10s prints what it sees after ten seconds, and what to do.

--record keeps what passes the FILTER, and --replay shows it again. Twenty busy
connections take some 5 MB an hour.`,
		Example: `  unchoke watch
  unchoke watch --once --for 10s --sort retrans
  unchoke watch dst 10.0.0.0/8 and dport = 8096
  unchoke watch 'process = jellyfin and (rtt > 50ms or retrans > 1%)'
  unchoke watch --json --for 1m > flows.jsonl
  unchoke watch --record night.watch
  unchoke watch --replay night.watch --seek 2h --speed 10 retrans '>' 1%`,
		RunE: func(cmd *command.Command, args []string) error {
			set := cmd.Flags().Changed
			switch {
			case set("for") && f.length <= 0:
				return cli.Usagef("--for %v: the time must be positive", f.length)
			case set("top") && f.top < 1:
				return cli.Usagef("--top %d: show at least one row", f.top)
			case f.json && (set("top") || set("sort") || set("group")):
				return cli.Usagef("--json prints all connections that pass the FILTER: leave out --top, --sort and --group")
			}
			return watch(cmd.Context(), a, strings.Join(args, " "), f, extras)
		},
		ValidArgsFunction: cli.CompleteFilter,
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.interval, "interval", time.Second, "`TIME` between two looks, 100ms to 10s")
	flags.StringVar(&f.netns, "netns", "", "look at the network namespace `NS`: a name of ip netns, a file or a process ID")
	flags.BoolVar(&f.once, "once", false, "print one look and end")
	flags.DurationVar(&f.length, "for", 0, "end after this `TIME`; with --once, print the last look only")
	flags.BoolVar(&f.json, "json", false, "print one JSON document per line, one for each look")
	flags.BoolVar(&f.plain, "plain", false, "print rows of text, also on a terminal")
	flags.StringVar(&f.sort, "sort", table.Busiest.Column.Key, "sort rows by `COLUMN`; -COLUMN reverses the order")
	flags.StringVar(&f.group, "group", "", "group rows by `OWNER`: process, unit or remote")
	flags.IntVar(&f.top, "top", 0, "show the first `N` rows only")
	flags.StringVar(&f.record, "record", "", "also record to `FILE`, which must not be there yet")
	flags.StringVar(&f.replay, "replay", "", "show the recording `FILE` instead of this host")
	flags.Float64Var(&f.speed, "speed", 1, "replay `N` times as fast; 0: as fast as it is read")
	flags.DurationVar(&f.seek, "seek", 0, "begin the replay at this `TIME` since the recording's beginning")
	for _, x := range extras {
		x.flags(flags)
	}
	cmd.MarkFlagsMutuallyExclusive("json", "plain")
	for _, live := range []string{"interval", "netns"} {
		cmd.MarkFlagsMutuallyExclusive("replay", live)
	}
	_ = cmd.RegisterFlagCompletionFunc("sort", command.FixedCompletions(table.Keys(), command.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("group", command.FixedCompletions(groupNames(), command.ShellCompDirectiveNoFileComp))
	return cmd
}

// watch shows snapshots until there is no more, the time is over or ^C, which
// is how a watch ends.
func watch(ctx context.Context, a *cli.App, filter string, f showFlags, extras []extra) (err error) {
	defer cli.EndWell()()
	request, err := f.request(ctx, filter)
	if err != nil {
		return err
	}
	if request.Tape != nil {
		defer func() { err = errors.Join(err, request.Tape.Close()) }()
	}
	show, err := f.view(a, filter, request.Tape)
	if err != nil {
		return err
	}
	if request.Tape != nil && !f.once { // what looks once is over once it has looked
		for _, x := range extras {
			if r, ok := x.(replayer); ok {
				r.replays(request.Tape)
			}
		}
	}
	each, serve, err := openExtras(a, extras)
	if err != nil {
		return err
	}
	src, closeSource, err := watching.Watch(ctx, request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	if f.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.length)
		defer cancel()
	}
	// A reader of ours that is slow must not stop what others read.
	show.all = show.all && (request.Tape != nil || len(each) == 0)
	err = broadcast(ctx, src, show, each, serve, stayers(extras))
	switch {
	case errors.Is(err, io.EOF) && request.Tape != nil && request.Tape.Fault() != nil:
		return f.tapeFault(a, request.Tape.Fault())
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil
	}
	return err
}

// tapeFault is what the end of a recording means that nobody ended: one that was
// cut off has been shown as far as it goes; one that is damaged has more.
func (f showFlags) tapeFault(a *cli.App, fault error) error {
	if _, damaged := errors.AsType[*tape.DamagedError](fault); damaged {
		return fault
	}
	a.Warn([]string{fault.Error()})
	return nil
}

// request turns the flags into what is asked, and opens the recording.
func (f showFlags) request(ctx context.Context, filter string) (q watching.Request, err error) {
	switch {
	case !(f.speed >= 0):
		return q, cli.Usagef("--speed %v is negative", f.speed)
	case f.replay == "" && (f.seek != 0 || f.speed != 1):
		return q, cli.Usagef("--seek and --speed need --replay")
	}
	q = watching.Request{Interval: f.interval, Netns: f.netns, Record: f.record, Version: cli.ProgramVersion()}
	if q.Filter, err = watching.ParseFilter(ctx, filter); err != nil || f.replay == "" {
		return q, err
	}
	if q.Tape, err = watching.OpenTape(f.replay); err != nil {
		return q, err
	}
	q.Tape.SetSpeed(f.speed)
	if f.seek != 0 {
		q.Tape.Seek(f.seek)
	}
	return q, nil
}

// order is how rows are sorted.
func (f showFlags) order() (table.Order, error) {
	key, reversed := strings.CutPrefix(f.sort, "-")
	column, known := table.Find(key)
	if !known {
		return table.Order{}, cli.WithHint(cli.Usagef("no column %q to sort by", key), "columns are %s", strings.Join(table.Keys(), ", "))
	}
	return table.Order{Column: column, Reversed: reversed}, nil
}

// groupBy is what rows are grouped by.
func (f showFlags) groupBy() (table.By, error) {
	for _, by := range table.Groupings {
		if f.group == "" || f.group == string(by) {
			return table.By(f.group), nil
		}
	}
	return "", cli.WithHint(cli.Usagef("no grouping by %q", f.group), "group by %s", strings.Join(groupNames(), ", "))
}

func groupNames() []string {
	var out []string
	for _, by := range table.Groupings {
		out = append(out, string(by))
	}
	return out
}
