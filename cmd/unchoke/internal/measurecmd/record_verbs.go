//go:build !slim

package measurecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
)

// recordVerbs are those of record.
var recordVerbs = []func(*cli.App) *cobra.Command{
	newRecordListCommand,
	newRecordShowCommand,
	newRecordCalibrationCommand,
}
