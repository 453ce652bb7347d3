//go:build slim

package main

import (
	"github.com/spf13/cobra"

	usecase "unchoke/internal/app"
)

// webFlags are none: this build has no web client.
type webFlags struct{}

func (*webFlags) add(*cobra.Command) {}

func (webFlags) request() (usecase.Web, error) { return usecase.Web{}, nil }
