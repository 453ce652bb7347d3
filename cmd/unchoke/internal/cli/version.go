package cli

// version is set by the linker: -X unchoke/cmd/unchoke/internal/cli.version=0.1.0.
var version string

// ProgramVersion is what the linker set, else what the go command knows of
// the module, else "devel".
func ProgramVersion() string {
	if version != "" {
		return version
	}
	if known := moduleVersion(); known != "" && known != "(devel)" {
		return known
	}
	return "devel"
}
