// Diagnosis holds the verdicts of `unchoke check` against what stock iperf3
// finds out on the same lab paths:
//
//	diagnosis -draw 1 -n 250              paths with one impairment each
//	diagnosis -draw 1 -n 100 -double      with two
//	diagnosis -hand places -draw 1 -n 64  of another hand: where users are, and what goes wrong there
//	diagnosis -hand homes -draw 1 -n 64   of a third: what people are connected to, and what such lines suffer from
//	diagnosis -paths FILE                 paths that somebody wrote down (draw.Written)
//	diagnosis -draw 1 -n 250 -only 3,17   two paths of a draw
//	diagnosis -draw 1 -n 250 -save DIR    keep records and truths; go on there
//	diagnosis -draw 1 -n 250 -save DIR -recheck    the same truths, new checks
//	diagnosis -draw 1 -n 60 -save DIR -recheck -ssh    checks that know both ends
//	diagnosis -draw 1 -n 250 -save DIR -twin       what copies of the paths say of them
//	diagnosis -replay DIR                 diagnose kept records again, in seconds
//	diagnosis -kept DIR                   print what is kept, as it is
//
// It prints a confusion table, shares by family, calibration, and each miss
// with the command that repeats it, and fails where a figure is missed.
// A draw is named by its seed; package draw has what is drawn, package truth
// how its truth is found.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/lab"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/tools/diagnosis/ask"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/tool"
)

func main() {
	lab.Main() // a lab machine starts this program as its init
	tool.Main("diagnosis", run)
}

type options struct {
	bench  bench
	hand   draw.Hand
	paths  draw.Written // in place of a hand's
	seed   uint64
	n      int
	double bool
	family string
	only   []int // numbers of the draw's paths; all where empty
	list   bool
	kept   string
	replay string
	ssh    bool
	gate   score.Gate
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.list {
		draws, err := o.draws()
		list(stdout, draws)
		return err
	}
	o.bench.progress = stderr
	var outcomes []score.Outcome
	switch {
	case o.kept != "":
		outcomes, err = score.Dir(o.kept).Replay(nil)
	case o.replay != "":
		outcomes, err = score.Dir(o.replay).Replay(diagnose.Diagnose)
	default:
		outcomes, err = o.checks(ctx)
	}
	slices.SortFunc(outcomes, func(a, b score.Outcome) int { return strings.Compare(a.Draw.Name(), b.Draw.Name()) })
	s := score.Of(outcomes)
	s.Print(stdout)
	return errors.Join(err, o.gate.Check(s))
}

// checks runs the draw in the lab.
func (o *options) checks(ctx context.Context) ([]score.Outcome, error) {
	o.bench.far = ask.IPerf3
	if o.ssh {
		dir, err := os.MkdirTemp("", "unchoke-ssh-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		server, err := sshd.New(dir, sshd.Options{Port: 22})
		if err != nil {
			return nil, err
		}
		if o.bench.far, err = ask.SSH(server); err != nil {
			return nil, err
		}
	}
	draws, err := o.draws()
	if err != nil {
		return nil, err
	}
	return o.bench.run(ctx, draws)
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{hand: draw.Links}
	flags := flag.NewFlagSet("diagnosis", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	flags.Var(&o.hand, "hand", "whose paths are drawn: links, or places or homes, by others, for draws that no rule was tuned on")
	flags.Func("paths", "judge the paths that this `file` lists in place of drawn ones", func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		o.paths, err = draw.ReadWritten(f)
		return err
	})
	flags.Uint64Var(&o.seed, "draw", 1, "seed of the draw")
	flags.IntVar(&o.n, "n", 250, "paths")
	flags.BoolVar(&o.double, "double", false, "two impairments a path")
	flags.StringVar(&o.family, "family", "", "of the draw, the paths of this family alone")
	flags.Func("only", "of the draw, the paths with these `numbers` alone: 3,17", func(text string) (err error) {
		o.only, err = numbers(text)
		return err
	})
	flags.BoolVar(&o.list, "list", false, "print what is drawn and run nothing")
	flags.StringVar((*string)(&o.bench.dir), "save", "", "keep outcomes in this directory, and go on from those in it")
	flags.BoolVar(&o.bench.recheck, "recheck", false, "check again where a check is kept")
	flags.BoolVar(&o.bench.twin, "twin", false, "try copies of each path in the lab, as a check does that has it")
	flags.BoolVar(&o.ssh, "ssh", false, "check over SSH: of the far host unchoke needs no more than sshd, and sees both ends")
	flags.StringVar(&o.kept, "kept", "", "print what is kept in this directory, run and diagnose nothing")
	flags.StringVar(&o.replay, "replay", "", "diagnose the records kept in this directory again")
	flags.IntVar(&o.bench.machines, "machines", min(runtime.NumCPU(), 2), "lab machines at a time")
	flags.IntVar(&o.bench.seconds, "seconds", 30, "that count of a run of stock iperf3, at most")
	flags.IntVar(&o.gate.Paths, "least-paths", 0, "paths that must have been judged")
	flags.Float64Var(&o.gate.Right, "least", 0, "share that must be right at first sight")
	flags.Float64Var(&o.gate.RightOfCause, "least-cause", 0, "share of each cause that must be right")
	flags.Float64Var(&o.gate.BothNamed, "least-both", 0, "share of the paths with several causes whose causes must all be named")
	flags.Float64Var(&o.gate.SureRight, "least-sure", 0, "share of the verdicts said with 0.9 and more that must be right")
	flags.Float64Var(&o.gate.MostSureWrong, "most-sure-wrong", 0, "share that may be wrong and 0.9 sure")
	flags.Float64Var(&o.gate.MostMiscalibrated, "most-miscalibrated", 0, "expected calibration error allowed")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var err error
	o.bench.unchoke, err = filepath.Abs(*unchoke)
	return o, err
}

func (o *options) draws() ([]draw.Draw, error) {
	all, err := o.paths.Draws(o.seed)
	if o.paths == nil {
		for i := range o.n {
			all = append(all, o.hand.New(o.seed, i, o.double))
		}
	}
	var out []draw.Draw
	for i, d := range all[:min(o.n, len(all))] {
		if strings.Contains(d.Family, o.family) && (len(o.only) == 0 || slices.Contains(o.only, i)) {
			out = append(out, d)
		}
	}
	return out, err
}

// numbers reads a list of paths' numbers.
func numbers(text string) ([]int, error) {
	var out []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%q is no path's number", word)
		}
		out = append(out, n)
	}
	return out, nil
}

func list(w io.Writer, draws []draw.Draw) {
	for _, d := range draws {
		fmt.Fprintf(w, "%s %s on %s: %s\n", d.Name(), d.Family, d.Link, d.Scene.Command(d.Lab, "unchoke check far"))
	}
}
