package main

import (
	"io"

	"unchoke/internal/report/render"
)

// written is a report as every build can show it.
type written interface {
	Text(w io.Writer, style render.Style) error
	Markdown(w io.Writer) error
	JSON(w io.Writer) error
}

// view is how a report is shown in a format.
func view[R viewable](a *app, format string, asJSON bool) (func(R) error, error) {
	switch {
	case asJSON || format == "json":
		return func(r R) error { return r.JSON(a.stdout) }, nil
	case format == "markdown":
		return func(r R) error { return r.Markdown(a.stdout) }, nil
	case format == "html":
		return page[R](a)
	case format == "text":
		return func(r R) error { return r.Text(a.stdout, a.style()) }, nil
	}
	return nil, usagef("unknown format %q: use text, markdown, html or json", format)
}
