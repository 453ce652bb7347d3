// Package cli is what the commands of unchoke share: the standard streams and
// the terminal behind them, errors with their exit statuses, and flags.
package cli

import "io"

// App is what every verb is given: the standard streams and what is known of
// the terminal behind them.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       Terminal
}
