package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	farend "unchoke/internal/session"
)

// version is set by the linker: -X main.version=0.1.0.
var version string

// programVersion is what the linker set, else what the go command knows of
// the module, else "devel".
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

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

func newVersionCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "print the version of unchoke and of the Go that built it",
		Example: "  unchoke version\n  unchoke version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			if !asJSON {
				build := ""
				if slim {
					build = ", slim"
				}
				return a.say("unchoke %s (%s, %s%s)", programVersion(), runtime.Version(), platform, build)
			}
			return a.printJSON(versionDocument{"unchoke.version/1", programVersion(), runtime.Version(), platform, slim, farend.Schema, sessionDoes})
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// addJSONFlag gives a command --json.
func addJSONFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print one JSON document to standard output")
}
