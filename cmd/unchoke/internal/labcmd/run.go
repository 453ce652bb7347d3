//go:build !slim

package labcmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/hint"
	"unchoke/internal/lab"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/sweep"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/lab/traffic"
)

type runFlags struct {
	out     string
	jobs    int
	shard   string
	untilCI string
	series  string
	yes     bool
	kernel  string
	json    bool
}

func newRunCommand(a *cli.App) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE|PRESET --out DIR",
		Short: "run a grid of paths, traffics and arms",
		Long: `Run makes every run of a sweep file or a preset, each on a separate lab path, and
writes to DIR: runs.csv, one line per run; summary.json; sweep.yaml, the resolved
file; and, with --series, the sender's TCP_INFO over time. "unchoke lab list"
lists the presets; docs/lab-run.md documents the file format.

If a sweep was stopped, the same command resumes it. The same file, kernel and
unchoke give the same runs.csv, byte by byte, on any number of CPUs. With
--shard, each host makes one part, and "unchoke lab merge" merges the parts.`,
		Example: `  unchoke lab run chaos --out out/chaos
  unchoke lab run sweep.yaml --out out/sweep --until-ci 5%
  unchoke lab run article --out out/3 --shard 3/8`,
		Args: cli.OneArgument("a sweep: FILE or PRESET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("jobs") && f.jobs < 1 {
				return cli.Usagef("--jobs %d: at least one machine has to run", f.jobs)
			}
			return runStudy(cmd.Context(), a, args[0], f)
		},
		ValidArgsFunction: completeSweep,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "`DIR` of the results; an incomplete sweep in it is resumed")
	_ = cmd.MarkFlagDirname("out")
	flags.IntVar(&f.jobs, "jobs", 0, "run `N` machines at a time, each on its own CPU (default: one per CPU)")
	flags.StringVar(&f.shard, "shard", "", "make only part `I/N` of the runs")
	flags.StringVar(&f.untilCI, "until-ci", "", "end a cell when the 95 % interval of its mean throughput is within ± this `SHARE` of it; repeat is then the maximum")
	flags.StringVar(&f.series, "series", "", "keep the sender's TCP_INFO, sampled each `TIME`")
	flags.BoolVar(&f.yes, "yes", false, "run a grid that takes very long")
	flags.StringVar(&f.kernel, "kernel", "", "`KERNEL` of the machines: a file, or a key of \"lab kernel info\"")
	_ = cmd.RegisterFlagCompletionFunc("kernel", completeKernel)
	cli.AddJSONFlag(cmd, &f.json)
	return cmd
}

// completeSweep offers the presets, and files.
func completeSweep(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	presets, err := language.Presets()
	if len(args) > 0 || err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []cobra.Completion
	for _, p := range presets {
		offers = append(offers, cobra.CompletionWithDesc(p.Name, p.Description))
	}
	return offers, cobra.ShellCompDirectiveKeepOrder
}

// runStudy makes the runs and says what came of them.
func runStudy(ctx context.Context, a *cli.App, name string, f runFlags) error {
	file, options, err := f.plan(name)
	if err != nil {
		return err
	}
	if err := readyKernel(ctx, a, file, &options); err != nil {
		return err
	}
	bar := a.StartProgress("lab run")
	options.Progress = func(p sweep.Progress) {
		bar.Set(float64(p.Runs)/float64(max(p.Planned, 1)), progressText(p))
	}
	s, err := sweep.Run(ctx, file, options)
	bar.Done()
	if err != nil {
		return explainRun(ctx, err, s, f.out)
	}
	if f.json {
		return a.PrintJSON(s)
	}
	printSummary(a, s, f.out)
	return nil
}

// plan is what the command line asks for, checked as far as it can be before
// anything runs.
func (f runFlags) plan(name string) (language.File, sweep.Options, error) {
	o := sweep.Options{Dir: f.out, Jobs: f.jobs, Kernel: f.kernel, Version: cli.ProgramVersion()}
	if f.out == "" {
		return language.File{}, o, cli.WithHint(cli.Usagef("lab run needs a directory for the results"), "--out DIR")
	}
	if o.Jobs == 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if f.shard != "" {
		shard, err := grid.ParseShard(f.shard)
		if err != nil {
			return language.File{}, o, cli.Usage(err)
		}
		o.Shard = shard
	}
	file, err := language.Load(name)
	if err != nil {
		return file, o, cli.Usage(err)
	}
	if f.untilCI != "" {
		if file.UntilCI, err = language.ParseUntilCI(f.untilCI); err != nil {
			return file, o, cli.Usage(err)
		}
	}
	if f.series != "" {
		if file.Series, err = language.ParseSeries(f.series); err != nil {
			return file, o, cli.Usage(err)
		}
	}
	if err := f.askFirst(file, o); err != nil {
		return file, o, err
	}
	if _, err := file.Grid(); err != nil {
		return file, o, cli.Usage(err)
	}
	return file, o, nil
}

// What takes longer, or has more runs, is run only with --yes.
const (
	longRun  = 8 * time.Hour
	manyRuns = 100_000
)

// usualFactor is the virtual time that one CPU passes in a second with the
// jitter-cliff article's traffic, roughly: `make bench-lab-speed` measures it.
// It stands for the sweep's own speed as long as that is not known.
const usualFactor = 60

// knownAfter is how long a sweep must have run to tell its own speed.
const knownAfter = 10 * time.Second

// askFirst refuses a grid that takes very long, unless that is wanted.
func (f runFlags) askFirst(file language.File, o sweep.Options) error {
	runs, virtual, factor := float64(file.Runs()), file.VirtualTime(), float64(usualFactor)
	if o.Shard.N > 0 {
		runs /= float64(o.Shard.N)
		virtual /= time.Duration(o.Shard.N)
	}
	more := ""
	if before, err := store.SummaryOf(o.Dir); err == nil && before.Runs > 0 && float64(before.Runs) <= runs { // else sweep.Run has something to say of it
		more = " more"
		left := 1 - float64(before.Runs)/runs
		runs *= left
		virtual = time.Duration(float64(virtual) * left)
		if before.WallS >= knownAfter.Seconds() {
			factor = max(1, before.SpeedFactor/float64(max(before.Jobs, 1)))
		}
	}
	took := time.Duration(float64(virtual) / (factor * float64(o.Jobs)))
	if f.yes || file.Runs() > grid.MaxRuns || runs <= manyRuns && took <= longRun {
		return nil
	}
	most := ""
	if file.UntilCI > 0 {
		most = "at most "
	}
	return cli.WithHint(cli.Usagef("%s is a grid of %s%.0f%s runs: %s of virtual time, some %s on %s", file.Name, most, runs, more, roughly(virtual), roughly(took), count(o.Jobs, "CPU")),
		"--yes runs it; --shard 1/10 makes a tenth, --until-ci 5%% stops cells early")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// roughly is a duration in the one unit that suits it.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*365*day:
		return fmt.Sprintf("%.0f years", d.Hours()/24/365)
	case d >= 2*day:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	case d >= 2*time.Minute:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// readyKernel finds the kernel, builds it where there is none, and checks that
// it has the congestion controls that the file asks for.
func readyKernel(ctx context.Context, a *cli.App, file language.File, o *sweep.Options) error {
	if o.Kernel == "" {
		if err := ensureKernel(ctx, a); err != nil {
			return err
		}
	}
	k, err := kernel.Find(kernel.Places(), o.Kernel)
	if err != nil {
		return err
	}
	o.Kernel, o.Name = k.Path, store.Kernel{Key: k.Key, Version: k.Version}
	if o.Name.Key == "" {
		if o.Name.Key, err = digest(k.Path); err != nil {
			return err
		}
	}
	if !file.UsesAlgorithms() {
		return nil
	}
	have, err := lab.Algorithms(ctx, k.Path)
	if err != nil {
		return err
	}
	return file.CheckAlgorithms(have)
}

// digest names a kernel that is none of ours by its bytes.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("kernel: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("kernel %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// times is a factor: 96×, or 0.4×.
func times(factor float64) string {
	if factor < 9.95 {
		return fmt.Sprintf("%.1f×", factor)
	}
	return fmt.Sprintf("%.0f×", factor)
}

func progressText(p sweep.Progress) string {
	text := fmt.Sprintf("lab run: %d of %d runs, %s real time", p.Runs, p.Planned, times(p.Factor))
	if p.Left > 0 {
		text += ", " + roughly(p.Left) + " left"
	}
	return text
}

// explainRun adds to a sweep's error what was kept and the next step.
func explainRun(ctx context.Context, err error, s store.Summary, dir string) error {
	if wrong, ok := errors.AsType[*language.FileError](err); ok {
		return cli.Usage(wrong)
	}
	switch {
	case errors.Is(err, store.ErrLocked):
		return cli.WithHint(err, "wait until it is done, or choose another --out")
	case errors.Is(err, store.ErrOther):
		return cli.WithHint(err, "choose another --out, or remove %s", dir)
	}
	if _, ok := errors.AsType[*store.OpenError](err); ok {
		return cli.WithHint(err, "nothing was run; choose another --out")
	}
	kept := fmt.Sprintf("%d of %d runs are in %s; the same command resumes there", s.Runs, s.PlannedRuns, dir)
	switch {
	case ctx.Err() != nil:
		return cli.WithHint(context.Cause(ctx), "%s", kept)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return cli.WithHint(err, "free some space; %s", kept)
	}
	if _, ok := errors.AsType[*traffic.RunError](err); ok {
		kept = fmt.Sprintf("%d of %d runs are in %s; the same command would fail at this run again: use exclude: to leave its cell out", s.Runs, s.PlannedRuns, dir)
	}
	if next := hint.Of(err); next != "" {
		return cli.WithHint(err, "%s; %s", next, kept)
	}
	return cli.WithHint(err, "%s", kept)
}

func printSummary(a *cli.App, s store.Summary, dir string) {
	runs := fmt.Sprintf("%s: %d runs", s.Name, s.Runs)
	if s.Shard != "" {
		runs += " of shard " + s.Shard
	}
	if s.WallS > 0 {
		runs += fmt.Sprintf(", %s in %s: %s real time", roughly(time.Duration(s.VirtualS*float64(time.Second))), roughly(time.Duration(s.WallS*float64(time.Second))), times(s.SpeedFactor))
	}
	_ = a.Say("%s", runs)
	if s.FailedRuns > 0 {
		_ = a.Say("%s lost the connection or never had one; the column failed of %s/runs.csv says why", count(s.FailedRuns, "run"), dir)
	}
	if !s.Complete {
		_ = a.Say("%d runs are missing: unchoke lab run %s/sweep.yaml --out %s", s.PlannedRuns-s.Runs, dir, dir)
		return
	}
	_ = a.Say("unchoke lab report %s", dir)
}
