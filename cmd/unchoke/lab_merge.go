package main

import (
	"errors"

	"github.com/spf13/cobra"

	"unchoke/internal/lab/sweep"
	"unchoke/internal/lab/sweep/store"
)

func newLabMergeCommand(a *app) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge DIR... --out DIR",
		Short: "put the shards of a sweep together",
		Long: `Merge takes what "unchoke lab run --shard" wrote on several hosts and writes what
one host would have: the same runs.csv, byte by byte. A run that two shards have
must be the same in both. Where some are missing, "unchoke lab run" completes the
result.`,
		Example: `  unchoke lab merge out/1 out/2 out/3 --out out/article`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("lab merge needs the directories of the shards")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return withHint(usagef("lab merge needs a directory for the results"), "--out DIR")
			}
			s, err := sweep.Merge(args, out)
			if err != nil {
				return explainMerge(err)
			}
			if asJSON {
				return a.printJSON(s)
			}
			a.printSummary(s, out)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`DIR` of the whole")
	_ = cmd.MarkFlagDirname("out")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// explainMerge adds the next step.
func explainMerge(err error) error {
	switch {
	case errors.Is(err, store.ErrNoResults):
		return withHint(err, `name the directories that "unchoke lab run --shard" wrote`)
	case errors.Is(err, store.ErrOther):
		return withHint(err, "shards are of one sweep file, kernel and unchoke; --out is an empty directory")
	case errors.Is(err, store.ErrLocked):
		return withHint(err, "wait for it")
	}
	if _, ok := errors.AsType[*store.OpenError](err); ok {
		return withHint(err, "take another --out")
	}
	return err
}
