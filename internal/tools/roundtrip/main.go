// Roundtrip holds what a fit says of lab paths against the paths themselves:
//
//	roundtrip DIR...            of the checks that the diagnosis bench kept there
//	roundtrip -miss rate DIR    the paths whose rate lies outside its interval
//
// A path is drawn, checked in the lab and fitted from the check's record alone.
// It prints for each parameter how often the interval holds the path's own
// value. Left out is what no parameter of a fit stands for: paths that change
// with time, directions with other traffic, and AQMs' lengths.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/tool"
	"unchoke/internal/twin"
)

func main() { tool.Main("roundtrip", run) }

func run(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("roundtrip", flag.ContinueOnError)
	flags.SetOutput(stderr)
	miss := flags.String("miss", "", "list the paths that miss this `PARAMETER`")
	least := flags.Float64("least", 0, "share of all parameters that their intervals must hold")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no directory of kept checks is given: make bench-diagnosis keeps them in out/diagnosis")
	}
	var t tally
	for _, dir := range flags.Args() {
		outcomes, err := score.Dir(dir).Replay(nil)
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			held, err := compared(o)
			if err != nil {
				return fmt.Errorf("%s: %w", o.Draw.Name(), err)
			}
			for _, h := range held {
				t.add(h)
				if h.parameter == *miss && !h.within() {
					fmt.Fprintf(stdout, "%s %-4s %.4g is outside %.4g–%.4g  %s\n", o.Draw.Name(), h.direction, h.truth, h.fit.Low, h.fit.High, o.Draw.Scene.Path)
				}
			}
		}
	}
	t.print(stdout)
	return t.check(*least)
}

// compared holds a path against its fit. It is empty where there is none.
func compared(o score.Outcome) ([]comparison, error) {
	if o.Said.Record == nil || o.Draw.Scheduled {
		return nil, nil
	}
	p, err := path.Parse(o.Draw.Scene.Path)
	if err != nil {
		return nil, err
	}
	r, err := record.Read(bytes.NewReader(o.Said.Record))
	if err != nil {
		return nil, err
	}
	fit, err := twin.Of(r)
	if errors.Is(err, twin.ErrNothing) || errors.Is(err, twin.ErrTooFast) {
		return nil, nil
	}
	return compare(p, fit), err
}
