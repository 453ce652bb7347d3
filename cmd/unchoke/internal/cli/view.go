package cli

import (
	"io"

	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/report/render"
)

// Written is a report as every build can show it.
type Written interface {
	Text(w io.Writer, style render.Style) error
	JSON(w io.Writer) error
}

// FormFlags are the flags that say in which form a report is printed.
type FormFlags struct {
	format string
	json   bool
}

func (f *FormFlags) Add(cmd *command.Command) {
	AddJSONFlag(cmd, &f.json)
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the report: text, markdown, html or json")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	CompleteForm(cmd, "text", "markdown", "html", "json")
}

func (f FormFlags) AsJSON() bool { return f.json || f.format == "json" }

// CompleteForm offers the forms of a report to the shell.
func CompleteForm(cmd *command.Command, forms ...command.Completion) {
	_ = cmd.RegisterFlagCompletionFunc("format", command.FixedCompletions(forms, command.ShellCompDirectiveNoFileComp))
}

// View is how a report is shown in the form that was asked for.
func View[R Viewable](a *App, f FormFlags) (func(R) error, error) {
	switch {
	case f.AsJSON():
		return func(r R) error { return r.JSON(a.Stdout) }, nil
	case f.format == "markdown" || f.format == "html":
		return document[R](a, f.format)
	case f.format == "text":
		return func(r R) error { return r.Text(a.Stdout, a.Style()) }, nil
	}
	return nil, Usagef("unknown format %q: use text, markdown, html or json", f.format)
}

// AddJSONFlag gives a command --json.
func AddJSONFlag(cmd *command.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print one JSON document to standard output")
}
