//go:build !slim

package measurecmd

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/compare"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
	comparereport "unchoke/internal/report/compare"
)

type abFlags struct {
	cli.MeasureFlags
	cli.FormFlags
	arms                  []string
	grid, neighbor        string
	direction             string
	identical             bool
	blocks, maxBlocks     int
	duration, omit, pause time.Duration
	margin                float64
	seed                  uint64
	preset                string // whose lab path this runs on, as --lab had it started
}

func NewAB(a *cli.App) *cobra.Command {
	var f abFlags
	cmd := &cobra.Command{
		Use:   "ab TARGET --arm ARM --arm ARM…",
		Short: "compare two or more ways to use a path, until the answer is firm",
		Long: `Ab compares arms on the same path: congestion controls, socket buffers, numbers
of streams, addresses of one host, directions. The arms run one at a time, in
randomized blocks, each once per block, until the answer is firm. Settings apply
to single sockets and are verified; ab needs no root and changes nothing on
either host.

TARGET is a host on which a stock "iperf3 -s" or "unchoke serve" runs (host or
host:port), an http:// or https:// URL, which is downloaded, or
ssh://[user@]host[:port], where unchoke is started for the comparison. An ARM is
KEY=VALUE,… of

  cc=NAME           congestion control of whichever side sends
  window=SIZE       socket buffers of both sides, such as 512KiB
  streams=N         parallel streams
  target=TARGET     another TARGET for this arm: another address of the same
                    host, such as inside or outside a tunnel, or another URL
  direction=up|down up sends from here to the target

A key that an arm leaves out keeps each host's default. The first arm is the
baseline. The beginning of each trial is dropped as slow start. The comparison
is saved as a record: see "unchoke record".

With --neighbor a second flow runs during every trial, and the report has both
shares. Upward it is one more stream of the same test. A stock server cannot
send two flows of different kinds, so downward the neighbor needs its own
server: --neighbor cc=cubic,target=far:5202.`,
		Example: `  unchoke ab far --arm cc=cubic --arm cc=bbr
  unchoke ab far --arm cc=cubic --arm cc=bbr --direction down
  unchoke ab far --arm streams=1 --arm streams=8
  unchoke ab far --grid 'cc=cubic,bbr target=far,far.underlay direction=up,down'
  unchoke ab far --arm cc=cubic --arm cc=bbr --neighbor cc=cubic
  unchoke ab https://a.example/file --arm target=https://a.example/file --arm target=https://b.example/file`,
		Args: cli.OneArgument("a TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, auto := range map[string]*time.Duration{"duration": &f.duration, "omit": &f.omit, "pause": &f.pause} {
				if !cmd.Flags().Changed(name) {
					*auto = trial.Auto
				}
			}
			if cmd.Flags().Changed("blocks") && f.blocks < 1 {
				return cli.Usagef("--blocks %d: a comparison has at least one block", f.blocks)
			}
			if !cmd.Flags().Changed("seed") {
				f.seed = uint64(rand.Uint32())
			}
			return ab(cmd.Context(), a, args[0], f)
		},
		ValidArgsFunction: cli.CompleteTarget,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.arms, "arm", nil, "compare this `ARM`; may be repeated, the first is the baseline")
	flags.StringVar(&f.grid, "grid", "", "compare every combination of `LISTS` such as 'cc=cubic,bbr direction=up,down'")
	flags.BoolVar(&f.identical, "identical", false, "allow identical arms, to see what chance alone does")
	flags.StringVar(&f.direction, "direction", "", "`DIRECTION` of arms that name none: up or down (default up; for URLs down)")
	flags.StringVar(&f.neighbor, "neighbor", "", "run this `ARM` (cc and target) during every trial")
	flags.IntVar(&f.blocks, "blocks", 0, "run exactly `N` blocks (default: until the answer is firm)")
	flags.IntVar(&f.maxBlocks, "max-blocks", compare.DefaultMaxBlocks, "give up after `N` blocks without a firm answer")
	flags.Float64Var(&f.margin, "margin", compare.DefaultMargin, "call arms equivalent within this `RATIO`")
	flags.DurationVar(&f.duration, "duration", 0, "`TIME` of a trial, including slow start (default: depends on the RTT, at least 6s)")
	flags.DurationVar(&f.omit, "omit", 0, "drop this `TIME` of each trial as slow start, in whole seconds (default: depends on the RTT, at least 1s)")
	flags.DurationVar(&f.pause, "pause", 0, "minimum `TIME` between trials; ab then waits until the RTT is back to idle (default 3 round trips)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed the random order with `N`, to repeat one (default: random)")
	f.FormFlags.Add(cmd)
	f.MeasureFlags.Add(cmd)
	cmd.MarkFlagsMutuallyExclusive("arm", "grid")
	cmd.MarkFlagsMutuallyExclusive("blocks", "max-blocks")
	complete := func(name string, to cobra.CompletionFunc) { _ = cmd.RegisterFlagCompletionFunc(name, to) }
	complete("arm", completeArm(compare.ArmKeys()))
	complete("neighbor", completeArm(compare.ArmKeys()))
	complete("direction", cobra.FixedCompletions([]string{"up", "down"}, cobra.ShellCompDirectiveNoFileComp))
	return withLab(a, cmd, &f)
}

// ab asks for the comparison and reports it. A comparison that ended early is
// reported as well, for what it saw, and is a failure all the same.
func ab(ctx context.Context, a *cli.App, target string, f abFlags) error {
	show, err := cli.View[comparereport.Report](a, f.FormFlags)
	if err != nil {
		return err
	}
	request, err := f.comparison(target)
	if err != nil {
		return err
	}
	bar := a.StartProgress("ab " + usecase.ShownTarget(target))
	request.Progress, request.Blocks = bar.Set, showBlocks(a, bar)
	c, analysis, failed := usecase.Compare(ctx, request)
	bar.Done()
	if c == nil {
		return failed
	}
	if err := show(f.beside(comparereport.New(c, analysis))); err != nil {
		return err
	}
	return failed
}

// comparison is what the flags ask for.
func (f abFlags) comparison(target string) (usecase.CompareRequest, error) {
	q := usecase.CompareRequest{
		Duration: f.duration, Omit: f.omit, Pause: f.pause, Wait: f.Wait,
		Config: record.ComparisonConfig{Seed: f.seed, Blocks: f.blocks, MaxBlocks: f.maxBlocks, Margin: f.margin},
	}
	var err error
	if q.Arms, err = f.parseArms(target); err != nil {
		return q, err
	}
	if f.neighbor != "" {
		neighbor, err := compare.ParseArm(f.neighbor)
		if err != nil {
			return q, cli.Usage(err)
		}
		q.Config.Neighbor = &neighbor
	}
	q.Request, err = f.Request(target)
	return q, err
}
