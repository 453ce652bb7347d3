//go:build !slim

package tunecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/tune"
)

// RemedyFlags say which remedy a plan is for, and how far its changes go.
type RemedyFlags struct {
	scope, remedy string
	resolve       bool
}

func (f *RemedyFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.scope, "scope", "host", "limit the changes to `SCOPE`: host, route:PREFIX or device:NAME")
	flags.StringVar(&f.remedy, "remedy", string(tune.Auto), "`REMEDY` for the cause: auto, bbr, or maxrate (fq below a policer's rate)")
	flags.BoolVar(&f.resolve, "resolve", false, "also comment out lines below /etc that would override the plan's")
	_ = cmd.RegisterFlagCompletionFunc("remedy", cobra.FixedCompletions([]string{"auto", "bbr", "maxrate"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"host", "route:", "device:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// Options are the flags as a plan takes them.
func (f RemedyFlags) Options() (tune.Options, error) {
	scope, err := tune.ParseScope(f.scope)
	if err != nil {
		return tune.Options{}, cli.Usage(err)
	}
	remedy, err := tune.ParseRemedy(f.remedy)
	if err != nil {
		return tune.Options{}, cli.Usage(err)
	}
	return tune.Options{Scope: scope, Remedy: remedy, Resolve: f.resolve}, nil
}
