//go:build slim

package main

import (
	"context"

	"github.com/spf13/cobra"

	usecase "unchoke/internal/app"
)

// webFlags are none: this build has no web client.
type webFlags struct{}

func (*webFlags) add(*cobra.Command) {}

func (webFlags) request() (usecase.Web, error) { return usecase.Web{}, nil }

// sshFlags are none: this build is no near end of a session.
type sshFlags struct{ farBinary string }

func (*sshFlags) add(*cobra.Command) {}

// fromFlags are there to say that this build does not compare places.
type fromFlags struct {
	from   []string
	rounds int
}

func (f *fromFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "not in the slim build")
	_ = cmd.Flags().MarkHidden("from")
}

func (a *app) checkFrom(context.Context, string, checkFlags) error { return missing("check --from") }
