package audit

import (
	"golang.org/x/sys/unix"

	"unchoke/internal/record"
)

// systemSettings asks xnu's sysctls.
func systemSettings(h *record.Host) []string { return xnuSettings(h, unix.SysctlUint32) }
