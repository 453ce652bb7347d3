package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
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
				_, err := fmt.Fprintf(a.stdout, "unchoke %s (%s, %s)\n", programVersion(), runtime.Version(), platform)
				return err
			}
			return a.printJSON(struct {
				Schema   string `json:"schema"`
				Version  string `json:"version"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{"unchoke.version/1", programVersion(), runtime.Version(), platform})
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// addJSONFlag gives a command --json.
func addJSONFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print one JSON document to standard output")
}

// printJSON prints the one document of a command run with --json.
func (a *app) printJSON(document any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
