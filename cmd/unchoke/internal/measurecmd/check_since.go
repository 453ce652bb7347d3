package measurecmd

import (
	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
)

// withSince lets check say what changed since an earlier one.
func (f *checkFlags) withSince(cmd *command.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "say what changed since the check in `RECORD`: an ID, a file, or last for the newest check of TARGET")
	_ = cmd.RegisterFlagCompletionFunc("since", func(cmd *command.Command, _ []string, typed string) ([]command.Completion, command.ShellCompDirective) {
		return cli.CompleteRecord(cmd, nil, typed)
	})
}

// earlier is the record that --since names; nil without it. It is read before
// the check, which saves a newer one.
func (f checkFlags) earlier(target string) (*record.Run, error) {
	switch f.since {
	case "":
		return nil, nil
	case usecase.LastRecord:
		return usecase.NewestCheck(target)
	}
	return usecase.LoadRun(f.since)
}

// reportOf is the report of a run, with what changed since the earlier one.
func reportOf(run, earlier *record.Run) checkreport.Report {
	r := checkreport.New(run)
	if earlier != nil {
		since := diagnose.Compare(earlier, run)
		r.Since = &since
	}
	return r
}
