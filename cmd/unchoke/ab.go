package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"unchoke/internal/audit"
	"unchoke/internal/compare"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
	"unchoke/internal/report"
)

type abFlags struct {
	arms                  []string
	grid, neighbor        string
	direction             string
	identical             bool
	blocks, maxBlocks     int
	duration, omit, pause time.Duration
	margin                float64
	seed                  uint64
	json, noSave          bool
	format                string
	wait                  time.Duration
	tokenFile             string
	ipv4, ipv6            bool
	preset                string // whose lab path this runs on, as --lab had it started
}

func newABCommand(a *app) *cobra.Command {
	var f abFlags
	cmd := &cobra.Command{
		Use:   "ab TARGET --arm ARM --arm ARM…",
		Short: "compare two or more ways to use a path, so that the answer holds",
		Long: `Ab compares arms on the same path: congestion controls, socket buffers, numbers
of streams, addresses of one host, directions. The arms run one at a time, in
randomized blocks, each once a block, until the answer is firm. What differs
between them is set on single sockets and read back; it needs no root and
changes nothing on either host.

TARGET is a host on which a stock "iperf3 -s" or "unchoke serve" runs (host or
host:port), or an http:// or https:// URL, which is downloaded. An ARM is
KEY=VALUE,… of

  cc=NAME           congestion control of whichever side sends
  window=SIZE       socket buffers of both sides, such as 512KiB
  streams=N         parallel streams
  target=TARGET     instead of TARGET: another address of the same host, as
                    within a tunnel and outside it, or another URL
  direction=up|down up sends from here to the target

What an arm leaves out is each host's own default. The first is the baseline.
The beginning of each trial is dropped as slow start. The comparison is saved as
a record: see "unchoke record".

With --neighbor a second flow runs beside every trial, and both shares are told.
Upwards it is one more stream of the same test. A stock server cannot send two
flows of different kinds, so downwards the neighbor needs a server of its own:
--neighbor cc=cubic,target=far:5202.`,
		Example: `  unchoke ab far --arm cc=cubic --arm cc=bbr
  unchoke ab far --arm cc=cubic --arm cc=bbr --direction down
  unchoke ab far --arm streams=1 --arm streams=8
  unchoke ab far --grid 'cc=cubic,bbr target=far,far.underlay direction=up,down'
  unchoke ab far --arm cc=cubic --arm cc=bbr --neighbor cc=cubic
  unchoke ab https://a.example/file --arm target=https://a.example/file --arm target=https://b.example/file`,
		Args: oneArgument("a TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, auto := range map[string]*time.Duration{"duration": &f.duration, "omit": &f.omit, "pause": &f.pause} {
				if !cmd.Flags().Changed(name) {
					*auto = trial.Auto
				}
			}
			if !cmd.Flags().Changed("seed") {
				f.seed = uint64(rand.Uint32())
			}
			return a.ab(cmd.Context(), args[0], f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.arms, "arm", nil, "compare this `ARM`; may be repeated, the first is the baseline")
	flags.StringVar(&f.grid, "grid", "", "compare every combination of `LISTS` such as 'cc=cubic,bbr direction=up,down'")
	flags.BoolVar(&f.identical, "identical", false, "allow arms that are the same, to see what chance alone does")
	flags.StringVar(&f.direction, "direction", "", "`DIRECTION` of arms that name none: up or down (default up, of URLs down)")
	flags.StringVar(&f.neighbor, "neighbor", "", "run an `ARM` of cc and target beside every trial")
	flags.IntVar(&f.blocks, "blocks", 0, "run exactly `N` blocks (default: until the answer is firm)")
	flags.IntVar(&f.maxBlocks, "max-blocks", compare.DefaultMaxBlocks, "give up after `N` blocks without a firm answer")
	flags.Float64Var(&f.margin, "margin", compare.DefaultMargin, "call arms equivalent within this `RATIO`")
	flags.DurationVar(&f.duration, "duration", 0, "`TIME` of a trial, slow start included (default by the RTT, at least 6s)")
	flags.DurationVar(&f.omit, "omit", 0, "drop this `TIME` of each trial as slow start, in whole seconds (default by the RTT, at least 1s)")
	flags.DurationVar(&f.pause, "pause", 0, "least `TIME` between trials; then ab waits until the RTT is back (default 3 round trips)")
	flags.Uint64Var(&f.seed, "seed", 0, "begin the random order at `N`, to repeat one (default at random)")
	flags.DurationVar(&f.wait, "wait", 10*time.Second, "wait this `TIME` for a server that is busy with another test")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that \"unchoke serve --token-file\" wants")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.StringVar(&f.format, "format", "text", "`FORM` of the report: text, markdown, html or json")
	flags.BoolVar(&f.noSave, "no-save", false, "do not save the record")
	flags.BoolVarP(&f.ipv4, "ipv4", "4", false, "use IPv4 only")
	flags.BoolVarP(&f.ipv6, "ipv6", "6", false, "use IPv6 only")
	cmd.MarkFlagsMutuallyExclusive("arm", "grid")
	cmd.MarkFlagsMutuallyExclusive("blocks", "max-blocks")
	cmd.MarkFlagsMutuallyExclusive("ipv4", "ipv6")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	complete := func(name string, to cobra.CompletionFunc) { _ = cmd.RegisterFlagCompletionFunc(name, to) }
	complete("arm", completeArm)
	complete("neighbor", completeArm)
	complete("direction", cobra.FixedCompletions([]string{"up", "down"}, cobra.ShellCompDirectiveNoFileComp))
	complete("format", cobra.FixedCompletions([]string{"text", "markdown", "html", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return a.withLab(cmd, &f)
}

// ab prepares, compares, saves and reports. A comparison that ended early is
// reported as well, for what it saw, and is a failure all the same.
func (a *app) ab(ctx context.Context, target string, f abFlags) error {
	show, err := f.view(a)
	if err != nil {
		return err
	}
	c, err := f.comparison(target)
	if err != nil {
		return err
	}
	options, err := f.options(ctx, c)
	if err != nil {
		return err
	}
	bar := a.startProgress("ab " + target)
	defer bar.done()
	options.Progress = func(what string) { bar.set(0, what) }
	runner, err := trial.Prepare(ctx, options)
	if err != nil {
		return fmt.Errorf("ab %s: %w", target, err)
	}
	c.Config.Duration, c.Config.Omit, c.Config.Pause = runner.Duration.Seconds(), runner.Omit.Seconds(), runner.Pause.Seconds()
	c.Far = runner.Far
	analysis, failed := compare.Run(ctx, c, runner.Run, a.showBlocks(bar, c))
	c.Warnings = append(c.Warnings, runner.Warnings...)
	left := runner.Close(ctx)
	if left != nil {
		c.Warnings = append(c.Warnings, left.Error())
	}
	bar.done()
	if failed != nil {
		if ctx.Err() != nil {
			c.Error = context.Cause(ctx).Error()
		}
		failed = fmt.Errorf("ab %s: %w", target, failed)
	}
	if len(c.Trials) == 0 {
		return errors.Join(failed, left)
	}
	if !f.noSave {
		if err := a.save(c); err != nil {
			c.Warnings = append(c.Warnings, "the record was not saved: "+err.Error())
		}
	}
	if err := show(f.beside(report.NewComparison(c, analysis))); err != nil {
		return err
	}
	return failed
}

// comparison is what the flags ask for, before anything is looked up.
func (f abFlags) comparison(target string) (*record.Comparison, error) {
	arms, err := f.parseArms(target)
	if err != nil {
		return nil, err
	}
	switch {
	case f.blocks < 0 || f.maxBlocks < 1:
		return nil, usagef("a comparison has at least one block")
	case f.margin <= 0 || f.margin >= 1:
		return nil, withHint(usagef("margin %g is not between 0 and 1", f.margin), "0.05 calls arms within 5 %% of each other equivalent")
	case f.wait < 0 || f.duration < trial.Auto || f.omit < trial.Auto || f.pause < trial.Auto:
		return nil, usagef("a time is negative")
	case f.duration == 0:
		return nil, usagef("a trial takes some time")
	case f.duration != trial.Auto && f.omit >= f.duration:
		return nil, usagef("a trial of %v, of which %v are dropped, leaves nothing", f.duration, f.omit)
	}
	c := record.NewComparison(target, programVersion())
	c.Arms = arms
	c.Config = record.ComparisonConfig{Seed: f.seed, Blocks: f.blocks, MaxBlocks: f.maxBlocks, Margin: f.margin}
	if f.neighbor != "" {
		neighbor, err := compare.ParseArm(f.neighbor)
		if err != nil {
			return nil, usage(err)
		}
		c.Config.Neighbor = &neighbor
	}
	return c, nil
}

// options finds the arms' targets and looks at this host.
func (f abFlags) options(ctx context.Context, c *record.Comparison) (trial.Options, error) {
	o := trial.Options{
		Began: c.Started, Duration: f.duration, Omit: f.omit, Pause: f.pause,
		Wait: f.wait, Network: f.family("tcp"), Agent: "unchoke/" + c.Version,
	}
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile)
		if err != nil {
			return o, err
		}
		o.Token = token
	}
	for i := range c.Arms {
		found, err := f.find(ctx, c.Target, c.Arms[i])
		if err != nil {
			return o, err
		}
		c.Arms[i].Direction = found.Direction
		o.Arms = append(o.Arms, found)
	}
	if n := c.Config.Neighbor; n != nil {
		o.Neighbor = &trial.Arm{Arm: *n}
		if n.Target != "" {
			found, err := f.find(ctx, c.Target, *n)
			if err != nil {
				return o, err
			}
			o.Neighbor.Server, o.Neighbor.URL = found.Server, found.URL
		}
	}
	if err := o.Check(); err != nil {
		return o, usage(err)
	}
	c.Near, c.Warnings = audit.Host()
	o.Near = c.Near
	return o, nil
}
