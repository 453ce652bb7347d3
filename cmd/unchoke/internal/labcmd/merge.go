//go:build !slim

package labcmd

import (
	"errors"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/sweep"
	"unchoke/internal/lab/sweep/store"
)

func newMergeCommand(a *cli.App) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge DIR... --out DIR",
		Short: "merge the shards of a sweep",
		Long: `Merge combines what "unchoke lab run --shard" wrote on several hosts into what
one host would have written: the same runs.csv, byte by byte. A run that two
shards contain must be the same in both. If runs are missing, "unchoke lab run"
completes the result.`,
		Example: `  unchoke lab merge out/1 out/2 out/3 --out out/article`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("lab merge needs the directories of the shards")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return cli.WithHint(cli.Usagef("lab merge needs a directory for the results"), "--out DIR")
			}
			s, err := sweep.Merge(args, out)
			if err != nil {
				return explainMerge(err)
			}
			if asJSON {
				return a.PrintJSON(s)
			}
			printSummary(a, s, out)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`DIR` of the merged results")
	_ = cmd.MarkFlagDirname("out")
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

// explainMerge adds the next step.
func explainMerge(err error) error {
	switch {
	case errors.Is(err, store.ErrNoResults):
		return cli.WithHint(err, `name the directories that "unchoke lab run --shard" wrote`)
	case errors.Is(err, store.ErrOther):
		return cli.WithHint(err, "all shards must have the same sweep file, kernel and version of unchoke, and --out must be empty")
	case errors.Is(err, store.ErrLocked):
		return cli.WithHint(err, "wait until it is done")
	}
	if _, ok := errors.AsType[*store.OpenError](err); ok {
		return cli.WithHint(err, "choose another --out")
	}
	return err
}
