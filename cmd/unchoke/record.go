package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/report"
)

// lastRecord names the newest record on the command line.
const lastRecord = "last"

func newRecordCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record COMMAND",
		Short: "list the saved runs, show one again",
		Long: fmt.Sprintf(`Every check saves a record: all that it saw, so that it can be diagnosed again;
so does every ab.
The newest %d are kept, readable by their owner only, in
$UNCHOKE_STATE_DIR/records, else $XDG_STATE_HOME/unchoke/records, which is
~/.local/state/unchoke/records where that is not set.`, record.Keep),
		Args: knownVerb,
		RunE: requireVerb,
	}
	cmd.AddCommand(newRecordListCommand(a), newRecordShowCommand(a))
	return cmd
}

func newRecordListCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "list the saved records, the newest first",
		Example: "  unchoke record list\n  unchoke record list --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := record.DefaultStore()
			if err != nil {
				return withHint(err, "set UNCHOKE_STATE_DIR to a directory")
			}
			list, err := store.List()
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(struct {
					Schema  string           `json:"schema"`
					Records []record.Summary `json:"records"`
				}{"unchoke.records/1", list})
			}
			return a.printRecords(list)
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func (a *app) printRecords(list []record.Summary) error {
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "no records yet: unchoke check and unchoke ab save them")
		return nil
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTARTED\tBY\tTARGET")
	for _, r := range list {
		if r.Error != "" {
			fmt.Fprintf(table, "%s\t-\t-\tunreadable: %s\n", r.ID, r.Error)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.ID, r.Started.Local().Format(time.DateTime), r.Command, r.Target)
	}
	return table.Flush()
}

func newRecordShowCommand(a *app) *cobra.Command {
	var asJSON bool
	var format string
	cmd := &cobra.Command{
		Use:   "show ID|FILE|last",
		Short: "diagnose a record again and report it, or print it whole",
		Long: `Show diagnoses a check's record with the rules of this version of unchoke, or
analyses a comparison's again, and reports it as check or ab does. A record is named by its ID, by a file that holds one, packed
or not, or as "last". With --json it is printed whole, undiagnosed: the document
that another host's "unchoke record show FILE" takes.`,
		Example: `  unchoke record show last
  unchoke record show 20261120-131207-3fa91c --json > run.json
  unchoke record show run.json --format markdown`,
		Args: oneArgument("a record: ID, FILE or " + lastRecord),
		RunE: func(_ *cobra.Command, args []string) error {
			d, err := loadRecord(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(d)
			}
			return a.reportRecord(d, format)
		},
		ValidArgsFunction: completeRecord,
	}
	addJSONFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&format, "format", "text", "`FORM` of the report: text or markdown, of a comparison also html")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "markdown", "html"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// reportRecord reports a record as the command that saved it would.
func (a *app) reportRecord(d record.Document, format string) error {
	switch d := d.(type) {
	case *record.Comparison:
		view, known := a.comparisonViews()[format]
		if !known || format == "json" {
			return withHint(usagef("unknown format %q", format), "text, markdown or html")
		}
		return view(report.NewComparison(d, compare.Analyse(d)))
	case *record.Run:
		switch check := report.NewCheck(d); format {
		case "text":
			return check.Text(a.stdout, a.style())
		case "markdown":
			return check.Markdown(a.stdout)
		}
	}
	return withHint(usagef("unknown format %q", format), "text or markdown")
}

// loadRecord reads the record that the user named: the newest, one of the
// store's, or a file.
func loadRecord(name string) (record.Document, error) {
	d, err := findRecord(name)
	switch {
	case errors.Is(err, record.ErrNotFound):
		return nil, withHint(err, "unchoke record list")
	case errors.Is(err, record.ErrNewer):
		return nil, withHint(err, "update unchoke")
	}
	return d, err
}

func findRecord(name string) (record.Document, error) {
	if name != lastRecord && !record.ValidID(name) {
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w: neither an ID nor a file is called %q", record.ErrNotFound, name)
		}
		return record.ReadDocumentFile(name)
	}
	store, err := record.DefaultStore()
	if err != nil {
		return nil, err
	}
	if name != lastRecord {
		return store.Load(name)
	}
	ids, err := store.IDs()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, withHint(errors.New("no records yet"), "unchoke check TARGET saves one")
	}
	return store.Load(ids[0])
}

// completeRecord offers the IDs, the newest first, and files.
func completeRecord(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offers := []cobra.Completion{lastRecord}
	if store, err := record.DefaultStore(); err == nil {
		list, _ := store.List() // none where the store cannot be read
		for _, r := range list {
			offers = append(offers, cobra.CompletionWithDesc(r.ID, r.Target))
		}
	}
	return offers, cobra.ShellCompDirectiveKeepOrder
}
