//go:build !slim

package measurecmd

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
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
	flags.StringArrayVar(&f.from, "from", nil, "check from this `PLACE`, and compare; give two or more: local, ssh://[user@]host[:port], or netns:NAME, a network namespace of this host")
	flags.IntVar(&f.rounds, "rounds", 0, "with --from, check `N` times from each place (default 2, or what --budget allows)")
	for _, other := range []string{"since", "no-predict", "flow", "pid", "unit", "probe", "header", "cookie-file", "max-bytes"} {
		cmd.MarkFlagsMutuallyExclusive("from", other)
	}
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{"local", "ssh://", "netns:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// checkFrom checks a target from several places and reports how they differ.
func checkFrom(ctx context.Context, a *cli.App, target string, f checkFlags) error {
	show, err := cli.View[vantagereport.Report](a, f.FormFlags)
	if err != nil {
		return err
	}
	request, err := f.Request(target)
	if err != nil {
		return err
	}
	places, err := usecase.ParsePlaces(f.from, remote.Options{FarBinary: request.FarBinary})
	if err != nil {
		return err
	}
	began := time.Now()
	bar := a.StartProgress("check " + target)
	comparison, failed := usecase.Vantage(ctx, usecase.VantageRequest{
		CheckRequest: usecase.CheckRequest{Request: request, Budget: f.budget, Wait: f.Wait, CC: f.cc, Progress: bar.Set},
		Places:       places, Rounds: f.rounds, Seed: rand.Uint64(),
	})
	bar.Done()
	if comparison == nil {
		return failed
	}
	if err := show(vantagereport.New(*comparison, cli.ProgramVersion(), began)); err != nil {
		return err
	}
	return failed
}
