//go:build slim

package measurecmd

import (
	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
)

// recordVerbs are those of record.
var recordVerbs = []func(*cli.App) *command.Command{
	newRecordListCommand,
	newRecordShowCommand,
	cli.Absent("calibration"),
}
