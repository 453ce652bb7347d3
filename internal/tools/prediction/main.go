// Prediction holds what `unchoke predict` says of lab paths against what stock
// iperf3 carries there:
//
//	prediction -draw 1 -n 40              paths of the diagnosis bench's draw
//	prediction -draw 1 -n 40 -save DIR    keep checks and truths; go on there
//
// Every third path has two impairments. Each is checked; then stock iperf3 runs
// on it with cubic and with bbr in each direction, and the prediction is made
// from the check's record alone. It prints each path beside its prediction, and
// how many were right, how many refused and how wrong these would have been.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"unchoke/internal/lab"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/tool"
)

func main() {
	lab.Main()
	tool.Main("prediction", run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := collector{progress: stderr}
	var g gate
	flags := flag.NewFlagSet("prediction", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	seed := flags.Uint64("draw", 1, "seed of the draw")
	from := flags.Int("from", 0, "first path of it")
	n := flags.Int("n", 40, "paths")
	flags.StringVar(&c.dir, "save", "", "keep checks and truths in this directory, and go on from those in it")
	flags.BoolVar(&c.kept, "kept", false, "predict for what is kept alone")
	flags.BoolVar(&c.again, "again", false, "check what is kept again, and predict for that alone")
	flags.IntVar(&c.machines, "machines", min(runtime.NumCPU(), 2), "lab machines at a time")
	flags.Float64Var(&g.rates, "least-rates", 0, "share of the rates that must be within 25 %")
	flags.Float64Var(&g.gains, "least-gains", 0, "share of bbr's gains that must be within 25 %")
	flags.Float64Var(&g.held, "least-held", 0, "share of the rates that their intervals must hold")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	if c.unchoke, err = filepath.Abs(*unchoke); err != nil {
		return err
	}
	var draws []draw.Draw
	for i := range *n {
		draws = append(draws, draw.New(*seed, *from+i, (*from+i)%3 == 2))
	}
	all, failed := c.collect(ctx, draws)
	var s tallies
	for _, k := range all {
		j, err := predicted(ctx, k)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", k.Draw.Name(), err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		j.print(stdout)
		s.add(j)
	}
	s.print(stdout)
	return errors.Join(failed, g.check(s))
}
