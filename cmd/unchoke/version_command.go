package main

import (
	"runtime"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	farend "unchoke/internal/session"
)

const platform = runtime.GOOS + "/" + runtime.GOARCH

// versionDocument is what version --json prints.
type versionDocument struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Go       string `json:"go"`       // that built it
	Platform string `json:"platform"` // OS/architecture
	// Slim: it lacks what a router has no room for.
	Slim bool `json:"slim,omitempty"`
	// Session is the protocol that it speaks as the far end of a check over SSH.
	Session string `json:"session,omitempty"`
	// SessionDoes are requests of that protocol which not every build knows.
	SessionDoes []string `json:"session_does,omitempty"`
}

func newVersionCommand(a *cli.App) *command.Command {
	var asJSON bool
	cmd := &command.Command{
		Use:     "version",
		Short:   "print the version of unchoke and of the Go that built it",
		Example: "  unchoke version\n  unchoke version --json",
		Args:    command.NoArgs,
		RunE: func(*command.Command, []string) error {
			if !asJSON {
				return sayVersion(a)
			}
			return a.PrintJSON(versionDocument{"unchoke.version/1", cli.ProgramVersion(), runtime.Version(), platform, cli.Slim, farend.Schema, sessionDoes})
		},
	}
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

// sayVersion prints the version in one line.
func sayVersion(a *cli.App) error {
	build := ""
	if cli.Slim {
		build = ", slim"
	}
	return a.Say("unchoke %s (%s, %s%s)", cli.ProgramVersion(), runtime.Version(), platform, build)
}
