// Tailscale holds what `unchoke check` says of a real Tailscale network in the
// lab against how that network was set up:
//
//	tailscale -n 40
//
// Its paths are direct, relayed, or change in the midst of the check; the way
// beneath is clean, lossy, jittery or policed. It prints a line a path and
// fails where the kind, the endpoint or the relay is wrong anywhere, or too
// many verdicts are. What the programs of that network are and where they come
// from is in internal/tools/tailnet.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"unchoke/internal/tools/tool"
)

func main() { tool.Main("tailscale", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tailscale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	n := flags.Int("n", 40, "paths")
	from := flags.Int("from", 0, "begin with this path of the draw, from 0")
	seed := flags.Uint64("seed", 1, "of the draw")
	least := flags.Float64("least", 0.95, "share of the verdicts that must be right")
	save := flags.String("save", "", "keep what each check said in this directory")
	quick := flags.Bool("quick", false, "quick checks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	program, err := filepath.Abs(*unchoke)
	if err != nil {
		return err
	}
	l, err := newLab(program, *quick, *save)
	if err != nil {
		return err
	}
	var t tally
	for i, c := range draw(*seed, *n)[min(*from, *n):] {
		o, err := l.run(ctx, fmt.Sprintf("%d-%d", *seed, *from+i), c)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			t.failed(stdout, c, err)
		default:
			t.add(stdout, o)
		}
	}
	return t.sum(stdout, *least)
}
