package main

import (
	"io"

	"github.com/spf13/cobra"

	"unchoke/internal/report/render"
)

// written is a report as every build can show it.
type written interface {
	Text(w io.Writer, style render.Style) error
	Markdown(w io.Writer) error
	JSON(w io.Writer) error
}

// formFlags are the flags that say in which form a report is printed.
type formFlags struct {
	format string
	json   bool
}

func (f *formFlags) add(cmd *cobra.Command) {
	addJSONFlag(cmd, &f.json)
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the report: text, markdown, html or json")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	completeForm(cmd, "text", "markdown", "html", "json")
}

func (f formFlags) asJSON() bool { return f.json || f.format == "json" }

// completeForm offers the forms of a report to the shell.
func completeForm(cmd *cobra.Command, forms ...cobra.Completion) {
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
}

// view is how a report is shown in the form that was asked for.
func view[R viewable](a *app, f formFlags) (func(R) error, error) {
	switch {
	case f.asJSON():
		return func(r R) error { return r.JSON(a.stdout) }, nil
	case f.format == "markdown":
		return func(r R) error { return r.Markdown(a.stdout) }, nil
	case f.format == "html":
		return page[R](a)
	case f.format == "text":
		return func(r R) error { return r.Text(a.stdout, a.style()) }, nil
	}
	return nil, usagef("unknown format %q: use text, markdown, html or json", f.format)
}
