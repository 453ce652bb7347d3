//go:build !darwin && !windows

package audit

import "unchoke/internal/record"

// systemSettings knows of no other system.
func systemSettings(*record.Host) []string {
	return []string{"this host's TCP settings are unknown: they can be read on Linux, macOS and Windows only"}
}
