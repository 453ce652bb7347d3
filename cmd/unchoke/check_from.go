//go:build !slim

package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	usecase "unchoke/internal/app"
	"unchoke/internal/remote"
	vantagereport "unchoke/internal/report/vantage"
)

// fromFlags compare places.
type fromFlags struct {
	from   []string
	rounds int
}

func (f *fromFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.from, "from", nil, "check from this `PLACE` as well, and compare: local, ssh://[user@]host[:port], or netns:NAME, a network namespace of this host; twice at least")
	flags.IntVar(&f.rounds, "rounds", 0, "with --from, check `N` times from each place (default 2, or what --budget allows)")
	for _, other := range []string{"since", "no-predict", "flow", "pid", "unit", "probe"} {
		cmd.MarkFlagsMutuallyExclusive("from", other)
	}
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{"local", "ssh://", "netns:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// checkFrom checks a target from several places and reports how they differ.
func (a *app) checkFrom(ctx context.Context, target string, f checkFlags) error {
	show, err := view[vantagereport.Report](a, f.formFlags)
	if err != nil {
		return err
	}
	request, err := f.request(target)
	if err != nil {
		return err
	}
	if f.rounds < 0 {
		return usagef("--rounds %d: the number must be positive", f.rounds)
	}
	places, err := usecase.ParsePlaces(f.from, remote.Options{FarBinary: request.FarBinary})
	if err != nil {
		return err
	}
	began := time.Now()
	bar := a.startProgress("check " + target)
	comparison, failed := usecase.Vantage(ctx, usecase.VantageRequest{
		CheckRequest: usecase.CheckRequest{Request: request, Budget: f.budget, Wait: f.wait, CC: f.cc, Progress: bar.set},
		Places:       places, Rounds: f.rounds, Seed: rand.Uint64(),
	})
	bar.done()
	if comparison == nil {
		return failed
	}
	if err := show(vantagereport.New(*comparison, programVersion(), began)); err != nil {
		return err
	}
	return failed
}
