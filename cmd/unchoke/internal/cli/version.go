package cli

import "runtime/debug"

// version is set by the linker: -X unchoke/cmd/unchoke/internal/cli.version=0.1.0.
var version string

// ProgramVersion is what the linker set, else what the go command knows of
// the module, else "devel".
func ProgramVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
