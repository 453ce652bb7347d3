//go:build slim

package watchcmd

import (
	"context"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/watching"
	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// newExtras are flags that say what is missing.
func newExtras() []extra {
	return []extra{
		&absentExtra{flag: "web"}, &absentExtra{flag: "open"},
		&absentExtra{flag: "prometheus"}, &absentExtra{flag: "prometheus-top"}, &absentExtra{flag: "prometheus-sets"},
	}
}

// absentExtra is something beside a watch that this build lacks.
type absentExtra struct{ flag, value string }

func (x *absentExtra) flags(flags *command.FlagSet) {
	flags.StringVar(&x.value, x.flag, "", "not in the slim build")
	_ = flags.MarkHidden(x.flag)
}

func (x *absentExtra) open(*cli.App) (func(*live.Snapshot), func(context.Context) error, error) {
	if x.value == "" {
		return nil, nil, nil
	}
	return nil, nil, cli.Missing("watch --" + x.flag)
}

// terminalView: a watch is always text here.
func (f showFlags) terminalView(*cli.App, table.Order, table.By, string, *watching.Tape) (viewer, bool) {
	return viewer{}, false
}
