//go:build !slim

package cli

import "io"

// Slim: this is the build for routers.
const Slim = false

// Viewable is a report that this build can show.
type Viewable interface {
	Written
	Markdown(w io.Writer) error
	HTML(w io.Writer) error
}

// document shows a report in a form that others read.
func document[R Viewable](a *App, form string) (func(R) error, error) {
	if form == "markdown" {
		return func(r R) error { return r.Markdown(a.Stdout) }, nil
	}
	return func(r R) error { return r.HTML(a.Stdout) }, nil
}
