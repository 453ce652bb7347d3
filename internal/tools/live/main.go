// Live holds the verdicts of `unchoke watch` against what stock iperf3 finds out
// on the same lab paths, and the chaos zone's warning against what jitter costs:
//
//	live -draw 1 -n 80                 real programs on drawn paths, watched from both ends
//	live -draw 1 -n 80 -transfers      with nginx, ssh and ffmpeg, as -attach has them
//	live -hand places -draw 1 -n 80    on paths of another hand, by which no rule was tuned
//	live -draw 1 -n 80 -save DIR       keep what was seen; go on there
//	live -draw 1 -n 80 -truths DIR     truths that bench-diagnosis has found out
//	live -replay DIR                   judge kept flows again, in no time
//	live -attach -draw 1 -n 60         unchoke check --flow on real transfers, from both ends
//	live -attach -own -draw 1 -n 60    and what slows the transfers themselves down, by running them without it
//	live -cost 10                      what a look costs the observed program
//	live -cliff -n 3                   the grid of the preset jitter-cliff, three runs a cell
//
// A path and its truth are those of package draw and package truth, which
// bench-diagnosis uses. What a program that limits itself could have carried is
// what stock iperf3 carried on that path. It prints tables and each miss, and
// fails where a figure is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("live", run) }

type options struct {
	bench  bench
	seed   uint64
	n      int
	first  int
	flow   int
	only   string
	replay string
	cliff  bool
	attach bool
	moved  bool // by the programs of -attach
	hand   draw.Hand
	cost   int
	gate   gate
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	o.bench.progress = stderr
	switch {
	case o.cliff:
		return o.bench.cliff(ctx, o.seed, o.n, stdout, o.gate)
	case o.cost > 0:
		return o.bench.cost(ctx, o.cost, o.gate.cost, stdout)
	case o.replay != "":
		outcomes, err := replayed(o.replay)
		return errors.Join(err, report(stdout, outcomes, o.gate))
	}
	if o.attach || o.moved {
		if err := haveTransfers(); err != nil {
			return err
		}
	}
	outcomes, err := o.bench.run(ctx, o.jobs())
	return errors.Join(err, report(stdout, outcomes, o.gate))
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{hand: draw.Links}
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	flags.Var(&o.hand, "hand", "whose paths are drawn: links, places or homes")
	flags.BoolVar(&o.moved, "transfers", false, "watch transfers of curl from nginx, rsync over ssh, ffmpeg and iperf3, as -attach has them")
	flags.Uint64Var(&o.seed, "draw", 1, "seed of the draw")
	flags.IntVar(&o.n, "n", 80, "paths; with -cliff, runs a cell")
	flags.IntVar(&o.flow, "flow", 1, "which flow of each path, 1 and up: those of even numbers go the other way")
	flags.StringVar(&o.only, "only", "", "the path of this name alone")
	flags.StringVar((*string)(&o.bench.dir), "save", "", "keep outcomes in this directory, and go on from those in it")
	flags.StringVar((*string)(&o.bench.truths), "truths", "", "directory of truths that bench-diagnosis has kept")
	flags.StringVar(&o.replay, "replay", "", "judge the flows kept in this directory again")
	flags.BoolVar(&o.attach, "attach", false, "unchoke check --flow on transfers of curl, rsync, ffmpeg and iperf3, in place of watch")
	flags.BoolVar(&o.bench.own, "own", false, "with -attach, also run each transfer itself without what slows it down")
	flags.IntVar(&o.cost, "cost", 0, "so many pairs of a program's runs, one of them looked at by unchoke check --flow: what that costs the program")
	flags.Float64Var(&o.gate.cost, "most-cost", 0.02, "share of its processor time that a look may cost the observed program")
	flags.IntVar(&o.first, "first", 0, "number of the draw's first path")
	flags.BoolVar(&o.cliff, "cliff", false, "the chaos zone's warning on the grid of the preset jitter-cliff")
	flags.IntVar(&o.bench.machines, "machines", 1, "lab machines at a time")
	flags.IntVar(&o.bench.seconds, "seconds", 30, "that count of a run for a truth, at most")
	flags.IntVar(&o.gate.paths, "least-paths", 0, "paths that must have been judged")
	flags.Float64Var(&o.gate.sending, "least-sending", 0, "share that must be right from the sending side")
	flags.Float64Var(&o.gate.receiving, "least-receiving", 0, "share that must be right or watching from the receiving side")
	flags.Float64Var(&o.gate.precision, "least-precision", 0, "of the warning")
	flags.Float64Var(&o.gate.recall, "least-recall", 0, "of the warning")
	flags.Float64Var(&o.gate.falseWarnings, "most-false", 1, "false warnings a second of a flow on paths without jitter")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.bench.own && !o.attach {
		return o, errors.New("-own: it is for the transfers of -attach")
	}
	if o.flow < 1 {
		return o, fmt.Errorf("-flow %d: the first is 1", o.flow)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	o.bench.unchoke, err = filepath.Abs(*unchoke)
	return o, err
}

func (o *options) jobs() []job {
	var out []job
	for i := range o.n {
		d := o.hand.New(o.seed, o.first+i, false)
		if o.only != "" && o.only != d.Name() {
			continue
		}
		j := newJob(d, o.flow)
		if o.attach || o.moved {
			j = j.transferring(o.flow)
		}
		j.attach = o.attach
		out = append(out, j)
	}
	return out
}

// known is a path's truth: one that bench-diagnosis found, or that was found here.
func (b *bench) known(ctx context.Context, d draw.Draw) (score.Known, error) {
	if b.truths != "" {
		if k, err := b.truths.LoadKnown(d.Name()); !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	}
	return b.dir.Find(ctx, truth.Lab{Unchoke: b.unchoke}, b.seconds, d)
}
