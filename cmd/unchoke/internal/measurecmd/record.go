package measurecmd

import (
	"fmt"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	usecase "unchoke/internal/app"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
)

func NewRecord(a *cli.App) *command.Command {
	cmd := &command.Command{
		Use:   "record COMMAND",
		Short: "list the saved runs, show one again, compare predictions with outcomes",
		Long: fmt.Sprintf(`Every check and every ab saves a record of all that it saw, so that it can be
diagnosed again. The newest %d are kept, readable only by their owner, in
$UNCHOKE_STATE_DIR/records, or else $XDG_STATE_HOME/unchoke/records (by default
~/.local/state/unchoke/records).`, state.Keep),
		Args: cli.KnownVerb,
		RunE: cli.RequireVerb,
	}
	for _, newVerb := range recordVerbs {
		cmd.AddCommand(newVerb(a))
	}
	return cmd
}

// RecordList is what record list --json prints.
type RecordList struct {
	Schema  string          `json:"schema"`
	Records []state.Summary `json:"records"` // the newest first
}

func newRecordListCommand(a *cli.App) *command.Command {
	var asJSON bool
	cmd := &command.Command{
		Use:     "list",
		Short:   "list the saved records, the newest first",
		Example: "  unchoke record list\n  unchoke record list --json",
		Args:    command.NoArgs,
		RunE: func(*command.Command, []string) error {
			store, err := usecase.Store()
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(RecordList{"unchoke.records/1", list})
			}
			return printRecords(a, list)
		},
	}
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

func printRecords(a *cli.App, list []state.Summary) error {
	if len(list) == 0 {
		a.Tell("no records yet: unchoke check and unchoke ab save them")
		return nil
	}
	columns := []render.Column{{Head: "ID", Left: true}, {Head: "STARTED", Left: true, Spare: true}, {Head: "BY", Left: true}, {Head: "TARGET", Left: true}}
	for _, r := range list {
		cells := []string{r.ID, r.Started.Local().Format(time.DateTime), r.Command, r.Target}
		if r.Error != "" {
			cells = []string{r.ID, "-", "-", "unreadable: " + r.Error}
		}
		for i, cell := range cells {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	s := render.NewScreen(a.Style())
	s.List(columns)
	return s.Flush(a.Stdout)
}

func newRecordShowCommand(a *cli.App) *command.Command {
	var f cli.FormFlags
	cmd := &command.Command{
		Use:   "show ID|FILE|last",
		Short: "diagnose a record again, or print all of it",
		Long: `Show diagnoses a check's record with the rules of this version of unchoke, or
analyses a comparison's again, and reports it like check or ab. A record is named
by its ID, by a file (compressed or not), or as "last". With --json it prints the
whole record without a diagnosis: the document that "unchoke record show FILE"
reads on another host.`,
		Example: `  unchoke record show last
  unchoke record show 20261120-131207-3fa91c --json > run.json
  unchoke record show run.json --format markdown`,
		Args: cli.OneArgument("a record: ID, FILE or " + usecase.LastRecord),
		RunE: func(_ *command.Command, args []string) error {
			d, err := usecase.Load(args[0])
			if err != nil {
				return err
			}
			if f.AsJSON() {
				return a.PrintJSON(d)
			}
			return reportRecord(a, d, f)
		},
		ValidArgsFunction: cli.CompleteRecord,
	}
	f.Add(cmd)
	return cmd
}

// reportRecord reports a record as the command that saved it would.
func reportRecord(a *cli.App, d record.Document, f cli.FormFlags) error {
	switch d := d.(type) {
	case *record.Comparison:
		return reportComparison(a, d, f)
	case *record.Run:
		show, err := cli.View[checkreport.Report](a, f)
		if err != nil {
			return err
		}
		return show(checkreport.New(d))
	}
	return fmt.Errorf("a record of unchoke %s has no report", d.Head().Command)
}
