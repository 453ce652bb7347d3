//go:build !slim

package cli

import "io"

// Slim: this is the build for routers.
const Slim = false

// Viewable is a report that this build can show.
type Viewable interface {
	Written
	HTML(w io.Writer) error
}

// page shows a report as a page.
func page[R Viewable](a *App) (func(R) error, error) {
	return func(r R) error { return r.HTML(a.Stdout) }, nil
}
