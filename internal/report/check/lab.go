//go:build !slim

package check

import (
	"unchoke/internal/record"
	"unchoke/internal/twin"
)

// labPath is the path as the lab would rebuild it.
func labPath(r *record.Run) string { return twin.Text(r) }
