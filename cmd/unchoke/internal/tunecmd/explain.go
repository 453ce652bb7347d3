//go:build !slim

package tunecmd

import (
	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	planreport "unchoke/internal/report/plan"
)

func newExplainCommand(a *cli.App) *cobra.Command {
	var path, root, algorithm string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain",
		Short: `answer "I enabled it and nothing changed"`,
		Long: `Explain looks for what keeps a congestion control from taking effect: a file that
is read later and sets another one, a kernel without it, connections opened
earlier, a route with its own, a path that loss does not limit, a far host that
is the sender, traffic that bypasses this kernel's TCP. It changes nothing.`,
		Example: `  unchoke tune explain
  unchoke tune explain --for far.example.net --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			facts, e, err := usecase.Explain(path, root, algorithm)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.PrintJSON(e)
			} else {
				err = planreport.ExplanationText(a.Stdout, e, a.Style())
			}
			a.Warn(facts.Warnings)
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&path, "for", "", "explain for the path of this `RECORD|TARGET` (default: the newest record, if any)")
	flags.StringVar(&root, "root", "", "look at the mounted image in `DIR`")
	flags.StringVar(&algorithm, "cc", "bbr", "the congestion control `NAME` that was enabled")
	_ = cmd.RegisterFlagCompletionFunc("for", cli.CompleteRecord)
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}
