//go:build !slim

package cli

import "runtime/debug"

// moduleVersion is what the go command knows of the module.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
