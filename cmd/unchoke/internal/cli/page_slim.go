//go:build slim

package cli

import (
	"fmt"

	"unchoke/cmd/unchoke/internal/command"
)

// Slim: a router has 8 MB of flash and 64 MB of memory. What this build has
// needs neither templates nor net/http nor the lab.
const Slim = true

// Missing is the error of what is not in this build.
func Missing(what string) error {
	return WithHint(Usage(fmt.Errorf("this is the slim build: it lacks %s", what)),
		"the full build of unchoke has it; it reads what `unchoke record show last --json` writes here")
}

// Absent is a verb that says so, whatever it is given.
func Absent(name string) func(*App) *command.Command {
	return func(*App) *command.Command {
		return &command.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(cmd *command.Command, _ []string) error { return Missing(cmd.CommandPath()) },
		}
	}
}

// Viewable is a report that this build can show: as text or JSON.
type Viewable interface{ Written }

// document refuses one.
func document[R Viewable](_ *App, form string) (func(R) error, error) {
	return nil, Missing("reports as " + form)
}
