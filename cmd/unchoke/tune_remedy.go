//go:build !slim

package main

import (
	"github.com/spf13/cobra"

	"unchoke/internal/tune"
)

// remedyFlags say which remedy a plan is for, and how far its changes go.
type remedyFlags struct {
	scope, remedy string
	resolve       bool
}

func (f *remedyFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.scope, "scope", "host", "limit the changes to `SCOPE`: host, route:PREFIX or device:NAME")
	flags.StringVar(&f.remedy, "remedy", string(tune.Auto), "`REMEDY` for the cause: auto, bbr, or maxrate (fq below a policer's rate)")
	flags.BoolVar(&f.resolve, "resolve", false, "also comment out lines below /etc that would override the plan's")
	_ = cmd.RegisterFlagCompletionFunc("remedy", cobra.FixedCompletions([]string{"auto", "bbr", "maxrate"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"host", "route:", "device:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// options are the flags as a plan takes them.
func (f remedyFlags) options() (tune.Options, error) {
	scope, err := tune.ParseScope(f.scope)
	if err != nil {
		return tune.Options{}, usage(err)
	}
	remedy, err := tune.ParseRemedy(f.remedy)
	if err != nil {
		return tune.Options{}, usage(err)
	}
	return tune.Options{Scope: scope, Remedy: remedy, Resolve: f.resolve}, nil
}
