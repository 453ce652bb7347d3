package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	usecase "unchoke/internal/app"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
)

func newRecordCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record COMMAND",
		Short: "list the saved runs, show one again, hold predictions against outcomes",
		Long: fmt.Sprintf(`Every check and every ab saves a record of all that it saw, so that it can be
diagnosed again. The newest %d are kept, readable only by their owner, in
$UNCHOKE_STATE_DIR/records, or else $XDG_STATE_HOME/unchoke/records (by default
~/.local/state/unchoke/records).`, state.Keep),
		Args: knownVerb,
		RunE: requireVerb,
	}
	for _, newVerb := range recordVerbs {
		cmd.AddCommand(newVerb(a))
	}
	return cmd
}

// recordList is what record list --json prints.
type recordList struct {
	Schema  string          `json:"schema"`
	Records []state.Summary `json:"records"` // the newest first
}

func newRecordListCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "list the saved records, the newest first",
		Example: "  unchoke record list\n  unchoke record list --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := usecase.Store()
			if err != nil {
				return err
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(recordList{"unchoke.records/1", list})
			}
			return a.printRecords(list)
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printRecords(list []state.Summary) error {
	if len(list) == 0 {
		a.tell("no records yet: unchoke check and unchoke ab save them")
		return nil
	}
	columns := []render.Column{{Head: "ID", Left: true}, {Head: "STARTED", Left: true}, {Head: "BY", Left: true}, {Head: "TARGET", Left: true}}
	for _, r := range list {
		cells := []string{r.ID, r.Started.Local().Format(time.DateTime), r.Command, r.Target}
		if r.Error != "" {
			cells = []string{r.ID, "-", "-", "unreadable: " + r.Error}
		}
		for i, cell := range cells {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	s := render.NewScreen(a.style())
	s.List(columns)
	return s.Flush(a.stdout)
}

func newRecordShowCommand(a *app) *cobra.Command {
	var f formFlags
	cmd := &cobra.Command{
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
		Args: oneArgument("a record: ID, FILE or " + usecase.LastRecord),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := usecase.Load(args[0])
			if err != nil {
				return err
			}
			if f.asJSON() {
				return a.printJSON(d)
			}
			return a.reportRecord(d, f)
		},
		ValidArgsFunction: completeRecord,
	}
	f.add(cmd)
	return cmd
}

// reportRecord reports a record as the command that saved it would.
func (a *app) reportRecord(d record.Document, f formFlags) error {
	switch d := d.(type) {
	case *record.Comparison:
		return a.reportComparison(d, f)
	case *record.Run:
		show, err := view[checkreport.Report](a, f)
		if err != nil {
			return err
		}
		return show(checkreport.New(d))
	}
	return fmt.Errorf("a record of unchoke %s has no report", d.Head().Command)
}

// completeRecord offers the IDs, the newest first, and files.
func completeRecord(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offers := []cobra.Completion{usecase.LastRecord}
	if store, err := state.DefaultStore(); err == nil {
		list, _ := store.List() // none where the store cannot be read
		for _, r := range list {
			offers = append(offers, cobra.CompletionWithDesc(r.ID, render.Printable(r.Target)))
		}
	}
	return offers, cobra.ShellCompDirectiveKeepOrder
}
